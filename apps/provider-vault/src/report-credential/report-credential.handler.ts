import { reportCredential as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { VAULT_CONTEXT, type VaultContext } from '../domain/vault-context.ts';
import { reportCredential } from './report-credential.ts';

@Controller()
export class ReportCredentialHandler {
  readonly #context: VaultContext;

  constructor(@Inject(VAULT_CONTEXT) context: VaultContext) {
    this.#context = context;
  }

  @RpcHandler(contract)
  reportCredential(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    return reportCredential(this.#context, request);
  }
}
