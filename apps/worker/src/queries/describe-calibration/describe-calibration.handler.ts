import { describeCalibration as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { WORKER_CONTEXT, type WorkerContext } from '../../domain/worker-context.ts';
import { describeCalibration } from './describe-calibration.ts';

@Controller()
export class DescribeCalibrationHandler {
  readonly #context: WorkerContext;

  constructor(@Inject(WORKER_CONTEXT) context: WorkerContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  describeCalibration(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return describeCalibration(this.#context.database, request);
  }
}
