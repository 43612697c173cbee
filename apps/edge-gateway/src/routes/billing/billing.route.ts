import {
  createCheckout,
  createCheckoutBody,
  customerPortalBody,
  describeBilling,
  openCustomerPortal,
  receiveStripeEvent,
  syncCheckout,
  syncCheckoutBody,
  syncSubscription,
  syncSubscriptionBody,
  type Billing,
  type BillingCheckout,
  type BillingPortal,
  type StripeEventReceipt,
} from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { Messaging } from '@gateway/messaging';
import { Controller, Get, HttpCode, Inject, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { FromCaller, type AccountCaller } from '../../access/access.guard.ts';
import { MESSAGING } from '../../access/tokens.ts';
import { AllowAccess, Describe } from '../../openapi/operation.ts';
import { readBody, readJson, readOptionalJson, requireJson } from '../../request/read-body.ts';
import * as operations from './billing.operations.ts';

/**
 * Maximum length of a Stripe event in bytes. Stripe events usually take a few kilobytes, and an invoice with
 * many lines takes tens of kilobytes.
 */
const eventBytesMax = 512 * 1024;
const signatureCharsMax = 4_096;

/** Serves `/v1/billing` and `/v1/account/billing`, with the account's billing plan and subscription. */
@Controller()
@AllowAccess('session')
export class BillingRoute {
  readonly #messaging: Messaging;

  constructor(@Inject(MESSAGING) messaging: Messaging) {
    this.#messaging = messaging;
  }

  @Get('/v1/account/billing')
  @AllowAccess('api-key-or-session')
  @Describe(operations.getBilling)
  async get(@FromCaller() { accountId }: AccountCaller): Promise<Billing> {
    return (await this.#messaging.call(describeBilling, { accountId })).billing;
  }

  @Post('/v1/billing/create-checkout')
  @HttpCode(200)
  @Describe(operations.createCheckout)
  async createCheckout(
    @FromCaller() { accountId }: AccountCaller,
    @Req() request: FastifyRequest,
  ): Promise<BillingCheckout> {
    const body = await readJson(request, createCheckoutBody);
    return (await this.#messaging.call(createCheckout, { accountId, body })).checkout;
  }

  @Post('/v1/billing/customer-portal')
  @HttpCode(200)
  @Describe(operations.openCustomerPortal)
  async openPortal(
    @FromCaller() { accountId }: AccountCaller,
    @Req() request: FastifyRequest,
  ): Promise<BillingPortal> {
    const body = await readJson(request, customerPortalBody);
    return (await this.#messaging.call(openCustomerPortal, { accountId, body })).portal;
  }

  @Post('/v1/billing/sync-checkout')
  @HttpCode(200)
  @Describe(operations.syncCheckout)
  async syncCheckout(
    @FromCaller() { accountId }: AccountCaller,
    @Req() request: FastifyRequest,
  ): Promise<Billing> {
    const { session_id: sessionId } = await readJson(request, syncCheckoutBody);
    return (await this.#messaging.call(syncCheckout, { accountId, sessionId })).billing;
  }

  @Post('/v1/billing/sync-subscription')
  @HttpCode(200)
  @Describe(operations.syncSubscription)
  async syncSubscription(
    @FromCaller() { accountId }: AccountCaller,
    @Req() request: FastifyRequest,
  ): Promise<Billing> {
    await readOptionalJson(request, syncSubscriptionBody);
    return (await this.#messaging.call(syncSubscription, { accountId })).billing;
  }

  /**
   * Stripe's signature authenticates the caller. Only the billing service has the secret that verifies the
   * signature.
   */
  @Post('/v1/billing/webhook')
  @HttpCode(200)
  @AllowAccess('public')
  @Describe(operations.receiveStripeEvent)
  async receiveStripeEvent(@Req() request: FastifyRequest): Promise<StripeEventReceipt> {
    const signature = request.headers['stripe-signature'];
    if (typeof signature !== 'string' || signature.length > signatureCharsMax)
      throw new GatewayError('invalid_webhook_signature');
    requireJson(request.raw);
    const body = (await readBody(request.raw, eventBytesMax)).toString('base64');
    return this.#messaging.call(receiveStripeEvent, { body, signature });
  }
}
