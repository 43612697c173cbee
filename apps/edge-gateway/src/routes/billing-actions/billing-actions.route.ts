import {
  createCheckout,
  createCheckoutBody,
  customerPortalBody,
  openCustomerPortal,
  syncCheckout,
  syncCheckoutBody,
  syncSubscription,
  syncSubscriptionBody,
  type Billing,
  type BillingCheckout,
  type BillingPortal,
} from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { Controller, HttpCode, Inject, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AllowAccess, Describe } from '../../openapi/operation.ts';
import type { AccountCaller } from '../../access/access.guard.ts';
import { FromCaller } from '../../access/access.guard.ts';
import { readJson, readOptionalJson } from '../../request/read-body.ts';
import { tokens } from '../../tokens.ts';
import * as operations from './billing-actions.operations.ts';

/** `/v1/billing`: what a person does about the account's subscription. */
@Controller('/v1/billing')
@AllowAccess('session')
export class BillingActionsRoute {
  readonly #messaging: Messaging;

  constructor(@Inject(tokens.messaging) messaging: Messaging) {
    this.#messaging = messaging;
  }

  @Post('/create-checkout')
  @HttpCode(200)
  @Describe(operations.createCheckout)
  async createCheckout(
    @FromCaller() { accountId }: AccountCaller,
    @Req() request: FastifyRequest,
  ): Promise<BillingCheckout> {
    const body = await readJson(request, createCheckoutBody);
    return (await this.#messaging.call(createCheckout, { accountId, body })).checkout;
  }

  @Post('/customer-portal')
  @HttpCode(200)
  @Describe(operations.openCustomerPortal)
  async openPortal(
    @FromCaller() { accountId }: AccountCaller,
    @Req() request: FastifyRequest,
  ): Promise<BillingPortal> {
    const body = await readJson(request, customerPortalBody);
    return (await this.#messaging.call(openCustomerPortal, { accountId, body })).portal;
  }

  @Post('/sync-checkout')
  @HttpCode(200)
  @Describe(operations.syncCheckout)
  async syncCheckout(
    @FromCaller() { accountId }: AccountCaller,
    @Req() request: FastifyRequest,
  ): Promise<Billing> {
    const { session_id: sessionId } = await readJson(request, syncCheckoutBody);
    return (await this.#messaging.call(syncCheckout, { accountId, sessionId })).billing;
  }

  @Post('/sync-subscription')
  @HttpCode(200)
  @Describe(operations.syncSubscription)
  async syncSubscription(
    @FromCaller() { accountId }: AccountCaller,
    @Req() request: FastifyRequest,
  ): Promise<Billing> {
    await readOptionalJson(request, syncSubscriptionBody);
    return (await this.#messaging.call(syncSubscription, { accountId })).billing;
  }
}
