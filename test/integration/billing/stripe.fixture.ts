import { billing, billingCheckout, type Billing, type BillingCheckout } from '@gateway/contracts';
import {
  signUpPerson,
  startStack,
  startStripeServer,
  type SignedEvent,
  type StackUnderTest,
  type TestStackOptions,
  type StripeServer,
  type TestPerson,
} from '@gateway/testing';
import { send, type Answer } from '../../e2e/http.fixture.ts';
import type { Undo } from '../stack.fixture.ts';

const plans = [
  { id: 'free', name: 'Free', fee_usd: 0, included_tokens_saved: 1_000_000, usd_per_million_tokens_saved: 0 },
  {
    ...{ id: 'pro', name: 'Pro', fee_usd: 20, included_tokens_saved: null, usd_per_million_tokens_saved: 0 },
    stripe_price_id: 'price_pro',
  },
];
export const urls = { success_url: 'https://gateway.example/paid', cancel_url: 'https://gateway.example/' };

/** A stack with billing enabled, in which a test server replaces Stripe. */
export interface ChargingStack {
  readonly stack: StackUnderTest;
  readonly stripe: StripeServer;
  /** Sends one of the dashboard's four billing actions to the gateway. */
  act(person: TestPerson, action: string, body?: object): Promise<Answer>;
  checkOut(person: TestPerson): Promise<BillingCheckout>;
  read(person: TestPerson): Promise<Billing>;
  /** Sends a Stripe event to the gateway's webhook. */
  deliver(event: Pick<SignedEvent, 'body' | 'signature'>, headers?: Record<string, string>): Promise<Answer>;
  /** Creates a user with a Stripe payment that the gateway has not processed yet. */
  pay(): Promise<{
    person: TestPerson;
    checkoutId: string;
    subscription: ReturnType<StripeServer['pay']>;
  }>;
}

export const codeOf = (answer: Answer) => (answer.json() as { error: { code: string } }).error.code;

/**
 * Starts a stack with billing enabled.
 * @param undo collects cleanup functions
 * @param options more processes, and settings of further processes
 */
export async function startChargingStack(
  undo: Undo[],
  { replicas = {}, env: others = {} }: Pick<TestStackOptions, 'replicas' | 'env'> = {},
): Promise<ChargingStack> {
  const stripe = await startStripeServer({ prices: ['price_pro'] });
  undo.push(() => stripe.close());
  const env = {
    STRIPE_SECRET_KEY: stripe.secretKey,
    STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
    STRIPE_API_URL: stripe.url,
    BILLING_PLANS: JSON.stringify(plans),
  };
  // Account deletion includes the compressor's data, so the compressor must run.
  const apps = ['edge-gateway', 'account', 'provider-vault', 'worker', 'billing', 'compressor'];
  // The tests sign up many users, so the rate limit is high.
  const edge = { TRUSTED_PROXIES: '127.0.0.0/8', AUTH_RATE_LIMIT_RPM: '100000' };
  const stack = await startStack({ apps, replicas, env: { billing: env, 'edge-gateway': edge, ...others } });
  undo.push(() => stack.stop());
  const act: ChargingStack['act'] = (person, action, body = {}) =>
    send(stack.baseUrl, { path: `/v1/billing/${action}`, key: person.accessToken, body });
  const checkOut: ChargingStack['checkOut'] = async (person) => {
    const answer = await act(person, 'create-checkout', { plan_id: 'pro', ...urls });
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
    return billingCheckout.parse(answer.json());
  };
  return {
    ...{ stack, stripe, act, checkOut },
    read: async (person) =>
      billing.parse(
        (await send(stack.baseUrl, { path: '/v1/account/billing', key: person.accessToken })).json(),
      ),
    deliver: ({ body, signature }, headers = {}) =>
      send(stack.baseUrl, {
        path: '/v1/billing/webhook',
        body: Buffer.from(body),
        headers: { 'content-type': 'application/json', 'stripe-signature': signature, ...headers },
      }),
    pay: async () => {
      const person = await signUpPerson(stack.baseUrl);
      const { id } = await checkOut(person);
      return { person, checkoutId: id, subscription: stripe.pay(id) };
    },
  };
}
