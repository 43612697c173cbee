import { receiveStripeEvent, type StripeEventReceipt } from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { Messaging } from '@gateway/messaging';
import { Controller, HttpCode, Inject, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AllowAccess, Describe } from '../../openapi/operation.ts';
import { readBody, requireJson } from '../../request/read-body.ts';
import { tokens } from '../../tokens.ts';
import * as operations from './stripe-webhook.operations.ts';

/** Stripe's events have some kilobytes; an invoice of many lines has tens of them. */
const bodyBytesMax = 512 * 1024;
const signatureCharsMax = 4_096;

/** `/v1/billing/webhook`: the signature is who may call it, and billing alone has the secret to check it with. */
@Controller('/v1/billing/webhook')
@AllowAccess('public')
export class StripeWebhookRoute {
  readonly #messaging: Messaging;

  constructor(@Inject(tokens.messaging) messaging: Messaging) {
    this.#messaging = messaging;
  }

  @Post()
  @HttpCode(200)
  @Describe(operations.receiveStripeEvent)
  async receive(@Req() request: FastifyRequest): Promise<StripeEventReceipt> {
    const signature = request.headers['stripe-signature'];
    if (typeof signature !== 'string' || signature.length > signatureCharsMax)
      throw new GatewayError('invalid_webhook_signature');
    requireJson(request.raw);
    const body = (await readBody(request.raw, bodyBytesMax)).toString('base64');
    return this.#messaging.call(receiveStripeEvent, { body, signature });
  }
}
