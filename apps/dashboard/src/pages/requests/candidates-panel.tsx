import { Badge, SegmentedControl, TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Link } from 'react-router';
import type { Candidate, RequestDetail } from '../../api/requests.ts';
import { DataTable, TwoLines } from '../../components/data-table.tsx';
import { Foreign } from '../../components/values.tsx';
import { FiguresTable, Panel } from '../../components/panel.tsx';
import { EmptyState } from '../../components/states.tsx';
import type { Column, Sorting } from '../../components/data-table.tsx';
import { formatNumberOf, formatTools } from '../../lib/format.ts';
import { toolAddress } from '../../lib/addresses.ts';
import { chooseCandidates, shownCandidates, type Shown } from './choose-candidates.ts';
import {
  describeBucket,
  explainAlwaysIn,
  explainDecision,
  meaningOfK,
  policyOf,
} from '../../lib/explain-plan.ts';
import classes from './request-page.module.css';

/** Lists every ranked tool with its rank, and shows whether the tool was forwarded, pruned or called. */
export function CandidatesPanel({ detail }: { readonly detail: RequestDetail }) {
  const { trace, tools_in } = detail;
  const about = [
    trace.intent === null ? [] : [`Intent: ${trace.intent}`],
    trace.method === null ? [] : [`ranked by ${trace.method === 'semantic' ? 'meaning' : 'keywords'}`],
  ].flat();
  return (
    <Panel
      title={tools_in === 0 ? 'Tools' : `Tools sent / received: ${formatTools(detail)}`}
      description={about.length === 0 ? undefined : `${about.join(', ')}.`}
    >
      <p className={classes.note}>
        <strong>Why:</strong> {explainDecision(trace)} {trace.k === null ? null : meaningOfK}
      </p>
      <PolicyNote trace={trace} />
      {detail.plan_defect === null ? null : (
        <p className={classes.note}>
          The plan was invalid and was dropped, so all tools were forwarded: <code>{detail.plan_defect}</code>
        </p>
      )}
      <NamedTools label="Recovered for the model" names={detail.recovered_tools} />
      <NamedTools label="Called but not permitted" names={detail.denied_tools} />
      <NamedTools label="Needed but pruned" names={detail.missed_tools} />
      {trace.candidates.length === 0 ? (
        <NoCandidates names={detail.called_tools} />
      ) : (
        <Candidates candidates={trace.candidates} />
      )}
      <LearnedScores candidates={trace.candidates} />
    </Panel>
  );
}

/** The routing policy of the conversation and its bucket, with a link to the measurements. */
function PolicyNote({ trace: { bucket, toolset_version } }: Pick<RequestDetail, 'trace'>) {
  if (bucket === null || toolset_version === null) return null;
  const policy = policyOf(toolset_version);
  const params = new URLSearchParams({ tab: 'calibration', bucket });
  return (
    <p className={classes.note}>
      <strong>Policy:</strong> {policy ?? 'shipped defaults'} for {describeBucket(bucket)}. See{' '}
      <Link to={`/routing?${params.toString()}`}>calibration</Link>.
    </p>
  );
}

function NamedTools({ label, names }: { readonly label: string; readonly names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <p className={classes.note}>
      <strong>{label}:</strong>{' '}
      {names.map((name, at) => (
        <span key={name}>
          {at === 0 ? '' : ', '}
          <code>
            <Foreign>{name}</Foreign>
          </code>
        </span>
      ))}
    </p>
  );
}

function NoCandidates({ names }: { readonly names: readonly string[] }) {
  return (
    <>
      <NamedTools label="Called" names={names} />
      <EmptyState title="No tools were ranked">
        Tools are ranked when pruning is on and the request has more than eight tools.
      </EmptyState>
    </>
  );
}

const shownLabels: Readonly<Record<Shown, string>> = {
  all: 'All',
  forwarded: 'Forwarded',
  pruned: 'Pruned',
  called: 'Called',
};

function Candidates({ candidates }: { readonly candidates: readonly Candidate[] }) {
  const [shown, setShown] = useState<Shown>('all');
  const [search, setSearch] = useState('');
  const [sorting, setSorting] = useState<Sorting>({ key: 'rank', isDescending: false });
  const rows = useMemo(
    () => chooseCandidates(candidates, { shown, search, sorting }),
    [candidates, shown, search, sorting],
  );
  return (
    <>
      <div className={classes.controls}>
        <SegmentedControl
          aria-label="Which tools"
          value={shown}
          onChange={(value) => setShown(value)}
          data={shownCandidates.map((value) => ({ value, label: shownLabels[value] }))}
        />
        <TextInput
          aria-label="Find a tool by name"
          placeholder="Find by name"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <span role="status">{formatNumberOf(rows.length, 'tool')}</span>
      </div>
      <DataTable
        label="Candidate tools"
        columns={useMemo(() => candidateColumns(bestScoreOf(candidates)), [candidates])}
        phoneColumns={phoneColumns}
        rows={rows}
        rowKey={({ rank }) => String(rank)}
        sorting={sorting}
        onSort={setSorting}
        maxHeight="28rem"
        rowHeight={38}
      />
    </>
  );
}

const bestScoreOf = (candidates: readonly Candidate[]): number =>
  Math.max(...candidates.map(({ score }) => score), Number.MIN_VALUE);

const candidateColumns = (best: number): Column<Candidate>[] => [
  { key: 'rank', header: 'Rank', width: '3.5rem', align: 'end', isSortable: true, cell: ({ rank }) => rank },
  {
    key: 'name',
    header: 'Tool',
    width: 'minmax(9rem, 2fr)',
    isSortable: true,
    cell: ({ name }) => (
      <Link to={toolAddress(name)}>
        <Foreign>{name}</Foreign>
      </Link>
    ),
  },
  {
    key: 'score',
    header: 'Score',
    width: 'minmax(6rem, 1.2fr)',
    isSortable: true,
    cell: (candidate) => <Score candidate={candidate} best={best} />,
  },
  {
    key: 'fate',
    header: 'Decision',
    width: 'minmax(8.5rem, 1fr)',
    cell: (candidate) => <Fate candidate={candidate} />,
  },
  { key: 'called', header: 'Called', width: '4.5rem', cell: (candidate) => <Called candidate={candidate} /> },
];

/** The columns on a phone. */
const phoneColumns: readonly Column<Candidate>[] = [
  {
    key: 'name',
    header: 'Tool',
    width: 'minmax(0, 1fr)',
    cell: ({ name, rank, score, called }) => (
      <TwoLines second={`rank ${rank}, score ${Number(score.toPrecision(3))}${called ? ', called' : ''}`}>
        <Link to={toolAddress(name)}>
          <Foreign>{name}</Foreign>
        </Link>
      </TwoLines>
    ),
  },
  {
    key: 'fate',
    header: 'Decision',
    width: '5.75rem',
    cell: (candidate) => <ForwardedBadge candidate={candidate} />,
  },
];

function ForwardedBadge({ candidate: { forwarded } }: { readonly candidate: Candidate }) {
  return (
    <Badge size="sm" tt="none" variant="light" color={forwarded ? 'indigo' : 'gray'}>
      {forwarded ? 'forwarded' : 'pruned'}
    </Badge>
  );
}

function Fate({ candidate }: { readonly candidate: Candidate }) {
  const { forwarded, planned, always_in } = candidate;
  return (
    <span className={classes.tags}>
      <ForwardedBadge candidate={candidate} />
      {forwarded && !planned ? 'plan: pruned' : null}
      {always_in === null ? null : explainAlwaysIn(always_in)}
    </span>
  );
}

function Called({ candidate }: { readonly candidate: Candidate }) {
  if (!candidate.called) return 'no';
  return (
    <Badge size="sm" tt="none" variant="light" color="green">
      called
    </Badge>
  );
}

const shareLabels = {
  log_probability: 'Probability',
  rank: 'Rank',
  usage: 'Usage',
  together: 'Needed with the best tools',
  transition: 'Needed after earlier calls',
} as const;
const shareNames = ['log_probability', 'rank', 'usage', 'together', 'transition'] as const;

/** The features of the learned score and, for each of the best tools, their parts of the score. */
function LearnedScores({ candidates }: { readonly candidates: readonly Candidate[] }) {
  const rows = candidates.flatMap(({ name, learning }) =>
    learning === null || learning.shares === null ? [] : [{ name, ...learning, shares: learning.shares }],
  );
  if (rows.length === 0) return null;
  return (
    <details>
      <summary>Ranked with learning: the parts of each score</summary>
      <p className={classes.note}>
        The parts are log-odds, compared with the mean of all tools. The largest sum ranks first.
      </p>
      <FiguresTable>
        <thead>
          <tr>
            <th scope="col">Tool</th>
            <th scope="col">Rank without learning</th>
            {shareNames.map((name) => (
              <th scope="col" key={name}>
                {shareLabels[name]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <LearnedRow key={`${row.rank_without} ${row.name}`} {...row} />
          ))}
        </tbody>
      </FiguresTable>
    </details>
  );
}

type Shares = NonNullable<NonNullable<Candidate['learning']>['shares']>;

function LearnedRow(row: { readonly name: string; readonly rank_without: number; readonly shares: Shares }) {
  return (
    <tr>
      <td>
        <Foreign>{row.name}</Foreign>
      </td>
      <td>{row.rank_without}</td>
      {shareNames.map((each) => (
        <td key={each}>{row.shares[each].toFixed(1)}</td>
      ))}
    </tr>
  );
}

function Score({ candidate, best }: { readonly candidate: Candidate; readonly best: number }) {
  const { score, forwarded } = candidate;
  const width = `${Math.max(0, Math.min(1, score / best)) * 100}%`;
  return (
    <span className={classes.score}>
      <span>{Number(score.toPrecision(3))}</span>
      <span className={classes.scoreTrack} aria-hidden>
        <span className={classes.scoreBar} data-pruned={forwarded ? undefined : true} style={{ width }} />
      </span>
    </span>
  );
}
