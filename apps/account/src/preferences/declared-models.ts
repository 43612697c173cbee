import {
  declaredModel,
  declaredModelBody,
  declaredModelsMax,
  type Actor,
  type DeclaredModel,
  type DeclaredModelBody,
} from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { diffFields } from '../audit/diff-fields.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { AccountModels, DeclaredModelRow } from '../persistence/account-database.ts';
import { takeNextEpoch } from '../persistence/row-changes.ts';
import type { PreferencesContext } from './preferences.ts';

/** The account, and the name of a declared model. */
interface DeclaredName {
  readonly accountId: string;
  readonly provider: string;
  readonly modelId: string;
  readonly actor?: Actor | undefined;
}

/** Lists the models that an account declares, by provider and id. Returns an empty list for an unknown account. */
export async function listDeclaredModels(
  { database }: Pick<PreferencesContext, 'database'>,
  { accountId }: { accountId: string },
): Promise<{ models: DeclaredModel[] }> {
  const rows = await database.forAccount(accountId).declaredModel.findMany({
    orderBy: [{ provider: 'asc' }, { modelId: 'asc' }],
    take: declaredModelsMax,
  });
  return { models: rows.map(renderModel) };
}

/**
 * Declares a model, or replaces its declaration. Throws `not_found` for an unknown account. Throws
 * `invalid_field` if only one of the two prices is set, if another declared model of the provider has the
 * same name, or if there are too many models.
 */
export async function putDeclaredModel(
  context: PreferencesContext,
  { body, ...name }: DeclaredName & { readonly body: DeclaredModelBody },
): Promise<{ model: DeclaredModel }> {
  const { accountId, provider, modelId, actor } = name;
  requireBothPrices(body);
  const { row, epoch } = await context.database.transactionForAccount(accountId, async (tx) => {
    const epoch = await takeNextEpoch(tx, accountId);
    await requireFreeNames(tx, name, body);
    const where = { accountId_provider_modelId: { accountId, provider, modelId } };
    const before = await tx.declaredModel.findUnique({ where });
    const facts = body;
    const row = await tx.declaredModel.upsert({
      where,
      create: { accountId, provider, modelId, facts },
      update: { facts },
    });
    if ((await tx.declaredModel.count()) > declaredModelsMax) throw tooMany();
    await tx.routingPreferences.update({ where: { accountId }, data: { epoch } });
    const changes = diffFields(before === null ? {} : parseFacts(before), body);
    const change = { action: 'routing.model_declared', target: targetOf(name), changes } as const;
    await recordAudit(tx, { accountId, actor }, change);
    return { row, epoch };
  });
  context.changes.announceAccountChange({ accountId, epoch });
  return { model: renderModel(row) };
}

/** Deletes a model declaration. Throws `not_found` for an unknown account. */
export async function deleteDeclaredModel(
  context: PreferencesContext,
  { accountId, provider, modelId, actor }: DeclaredName,
): Promise<{ deleted: boolean }> {
  const { count, epoch } = await context.database.transactionForAccount(accountId, async (tx) => {
    const epoch = await takeNextEpoch(tx, accountId);
    const { count } = await tx.declaredModel.deleteMany({ where: { accountId, provider, modelId } });
    if (count === 0) return { count, epoch };
    await tx.routingPreferences.update({ where: { accountId }, data: { epoch } });
    const target = targetOf({ provider, modelId });
    await recordAudit(tx, { accountId, actor }, { action: 'routing.model_removed', target });
    return { count, epoch };
  });
  context.changes.announceAccountChange({ accountId, epoch });
  return { deleted: count > 0 };
}

/** A cost requires both prices. If only one price were known, part of each request would seem to cost nothing. */
function requireBothPrices(body: DeclaredModelBody): void {
  const { input_cost_usd_per_mtok: input, output_cost_usd_per_mtok: output } = body;
  if ((input === null) === (output === null)) return;
  const param = input === null ? 'input_cost_usd_per_mtok' : 'output_cost_usd_per_mtok';
  throw new GatewayError('invalid_field', {
    param,
    message: `The field "${param}" must be a number if the other price is set. Declare both prices, or neither.`,
  });
}

/** Checks that no other declared model of the provider has one of the given names. */
async function requireFreeNames(
  tx: AccountModels,
  { provider, modelId }: DeclaredName,
  { aliases }: DeclaredModelBody,
): Promise<void> {
  const names = new Set([modelId, ...aliases]);
  const rows = await tx.declaredModel.findMany({ where: { provider, modelId: { not: modelId } } });
  for (const row of rows) {
    const taken = [row.modelId, ...parseFacts(row).aliases].find((name) => names.has(name));
    if (taken === undefined) continue;
    const message = `The declared model "${provider}/${row.modelId}" already has the name "${taken}". Use another name.`;
    throw new GatewayError('invalid_field', { param: 'aliases', message });
  }
}

function tooMany(): GatewayError {
  return new GatewayError('invalid_field', {
    message: `An account can declare at most ${declaredModelsMax} models. Delete a declaration first.`,
  });
}

function targetOf({ provider, modelId }: Pick<DeclaredName, 'provider' | 'modelId'>) {
  const id = `${provider}/${modelId}`;
  return { type: 'model', id, name: id } as const;
}

/** Parses stored facts. Throws an error if the row was not written by this service. */
function parseFacts({ facts }: DeclaredModelRow): DeclaredModelBody {
  return declaredModelBody.parse(facts);
}

function renderModel(row: DeclaredModelRow): DeclaredModel {
  return declaredModel.parse({
    id: `${row.provider}/${row.modelId}`,
    object: 'account.model',
    provider: row.provider,
    model_id: row.modelId,
    ...parseFacts(row),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  });
}
