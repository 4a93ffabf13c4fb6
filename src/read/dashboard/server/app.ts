import type { IncomingMessage, ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import type { Receipt } from '../../../engine/core/loop/receipt.ts';
import { defined } from '../../../engine/core/text/defined.ts';
import { UsageError } from '../../../engine/core/text/errors.ts';
import { isSafeId } from '../../../engine/core/text/paths.ts';
import { JournalError } from '../../../engine/home/journal/file.ts';
import { lookAtJournal } from '../../../engine/home/journal/receipt.ts';
import { detailOf } from '../view/detail.ts';
import { diffBetween } from '../view/diff.ts';
import type { AuditAnswer, AuditAsked } from '../view/insight-types.ts';
import { loopPage } from '../view/loop-page.ts';
import type { Problem } from '../view/overview-types.ts';
import { receiptView } from '../view/receipt.ts';
import { localActing, parseAction } from './act.ts';
import { Audits } from './audits.ts';
import { jsonIn, limitedBody } from './body.ts';
import { addFleet } from './fleet/app.ts';
import { type Guard, NO_TOKEN } from './guard.ts';
import { MOST_CLIENTS } from './hub.ts';
import type { Live } from './live.ts';
import { LookBack } from './look-back.ts';
import { PAGE_POLICY, type PageFile } from './page.ts';
import type { DashboardPorts } from './world.ts';

interface Wired {
  Bindings: { incoming: IncomingMessage; outgoing: ServerResponse };
}

type Asked = Context<Wired>;

const MOST_DAYS = 366;
/** So long a first view waits for more to be read. */
const FIRST_VIEW_MS = 60;

/** The requests that a page can make. `path`: the folder that everything but the start link lies in. */
export function dashboardApp(
  live: Live,
  guard: Guard,
  files: ReadonlyMap<string, PageFile>,
  world: DashboardPorts,
  path: string,
): Hono<Wired> {
  const app = new Hono<Wired>();
  app.onError((error, c) => failed(c, error));
  app.notFound((c) => refuse(c, 404, { code: 'not_found', message: 'there is nothing here' }));
  app.use(
    secureHeaders({ referrerPolicy: 'no-referrer', xFrameOptions: 'DENY', strictTransportSecurity: false }),
  );
  app.use(async (c, next) => {
    await next();
    c.header('content-security-policy', PAGE_POLICY);
    if (!c.res.headers.has('cache-control')) c.header('cache-control', 'no-store');
  });
  app.use(async (c, next) => {
    const wrong = guard.problemWith(askedOf(c));
    return wrong ? refuse(c, wrong.status, wrong.problem) : next();
  });
  app.get('/', (c) => enter(c, guard, world, path));
  app.use(async (c, next) => (guard.isKnown(askedOf(c)) ? next() : refuse(c, 401, NO_TOKEN)));
  const inside = app.basePath(path);
  // Addresses in the page are relative to this folder, so it is only found with its slash.
  app.get(`${path}/`, (c) => sendFile(c, files, 'index.html'));
  addReading(inside, live, world);
  addActing(inside, live, world);
  if (world.fleet) addFleet(inside, world.fleet);
  inside.get('/api/events', (c) => openStream(c, live, world));
  inside.get('/:file', (c) => sendFile(c, files, c.req.param('file')));
  return app;
}

function askedOf(c: Asked) {
  const header = (name: string) => c.req.header(name);
  return {
    method: c.req.method,
    host: header('host'),
    origin: header('origin'),
    site: header('sec-fetch-site'),
    type: header('content-type'),
    cookie: header('cookie'),
  };
}

/** Takes the token of the start link, gives a cookie for it, and leads to the page without the token in its address. */
function enter(c: Asked, guard: Guard, world: DashboardPorts, path: string): Response {
  const token = c.req.query('token');
  if (token === undefined)
    return guard.isKnown(askedOf(c)) ? c.redirect(`${path}/`, 303) : refuse(c, 401, NO_TOKEN);
  const cookie = guard.exchange(token, world.clock.now());
  if (cookie === undefined) return refuse(c, 401, NO_TOKEN);
  // Only this path gets it: other servers on the same host never see it.
  c.header('set-cookie', `${guard.cookieName}=${cookie}; HttpOnly; SameSite=Strict; Path=${path}/`);
  return c.redirect(`${path}/`, 303);
}

function sendFile(c: Asked, files: ReadonlyMap<string, PageFile>, name: string): Response {
  const file = files.get(name);
  if (!file) return refuse(c, 404, { code: 'not_found', message: 'there is nothing here' });
  c.header('etag', file.tag);
  c.header('cache-control', 'no-cache');
  if (c.req.header('if-none-match') === file.tag) return c.body(null, 304);
  c.header('content-type', file.type);
  return c.body(new Uint8Array(file.body));
}

function addReading(app: Hono<Wired>, live: Live, world: DashboardPorts): void {
  app.use('/api/loops/:loop/*', async (c, next) => {
    if (!live.loops.has(c.req.param('loop'))) await live.allRead();
    await next();
  });
  for (const path of ['/api/ended', '/api/insights', '/api/audit'])
    app.use(path, async (_, next) => {
      await live.allRead();
      await next();
    });
  const past = new LookBack(live.loops, world);
  const audits = new Audits(world, live.closed);
  app.get('/api/overview', async (c) => {
    await live.firstView(FIRST_VIEW_MS);
    return c.body(live.overviewText(), 200, { 'content-type': 'application/json; charset=utf-8' });
  });
  app.get('/api/ended', (c) =>
    c.json(
      live.ended({
        from: countIn(c, 'from', 0),
        count: countIn(c, 'count', 100),
        q: (c.req.query('q') ?? '').slice(0, 200),
        project: c.req.query('project') || undefined,
      }),
    ),
  );
  app.get('/api/loops/:loop', async (c) => c.json(await viewOf(c.req.param('loop'), live, world)));
  app.get('/api/loops/:loop/entries', async (c) => {
    const { id, journal } = await opened(c.req.param('loop'), live);
    const only = c.req.query('only');
    const from = countIn(c, 'from', 0);
    const kinds = only ? new Set(only.split(',')) : undefined;
    return c.json({ loop: id, from, ...(await journal.page(from, countIn(c, 'count', 100), kinds)) });
  });
  app.get('/api/loops/:loop/entries/:place', async (c) => {
    const { ref, journal } = await opened(c.req.param('loop'), live);
    const place = placeIn(c.req.param('place'));
    const found = await journal.pair(place);
    if (!found) throw new NotFound('the journal has no such line');
    return c.json(detailOf(place, found, journal.treesAt(place), ref, world.open()));
  });
  app.get('/api/loops/:loop/entries/:place/diff', async (c) => {
    const { ref, journal } = await opened(c.req.param('loop'), live);
    if (world.fleet) return c.json({ files: [], more: 0, problem: world.fleet.workOf(ref.loop) });
    const trees = journal.treesAt(placeIn(c.req.param('place')));
    if (!trees) return c.json({ files: [], more: 0, problem: 'no tree of the work was kept here' });
    return c.json(await diffBetween(ref.dir, trees.from, trees.to));
  });
  app.get('/api/loops/:loop/receipt', async (c) => {
    const [ref, own] = [known(c.req.param('loop'), live), world.open()];
    const inJournal = async (receipt: Receipt) =>
      world.fleet?.againstReceipt(ref.loop, receipt) ?? (await lookAtJournal(receipt, own)).problems;
    return c.json(await receiptView(ref, own, inJournal, world.fleet !== undefined));
  });
  app.get('/api/insights', async (c) => {
    const [days, project] = timeAndProject(c);
    const found = await past.insights(days, project);
    const audit = audits.view(days, project);
    return c.json({ ...found, ...defined({ audit }), ...(audits.canAudit ? { canAudit: true } : {}) });
  });
  app.get('/api/audit', (c) => c.json(defined({ audit: audits.view(...timeAndProject(c)) })));
  app.post('/api/audit', limitedBody(), async (c) => {
    const { days, project } = parseAuditAsked(await jsonIn(c));
    const folder = project === undefined ? undefined : past.folderOf(project);
    return c.json({ audit: audits.start(daysIn(days), project, folder) } satisfies AuditAnswer, 202);
  });
}

function timeAndProject(c: Asked): [days: number, project: string | undefined] {
  return [daysIn(countIn(c, 'days', 30)), c.req.query('project') || undefined];
}

function daysIn(days: number): number {
  return Math.min(MOST_DAYS, Math.max(1, days));
}

function parseAuditAsked(value: unknown): AuditAsked {
  const { days, project } = { ...(value as Record<string, unknown> | null) };
  if (!Number.isSafeInteger(days)) throw new UsageError('say how many days: "days"');
  if (project !== undefined && typeof project !== 'string')
    throw new UsageError('"project" is the name of a project');
  return { days: days as number, ...(project ? { project } : {}) };
}

function addActing(app: Hono<Wired>, live: Live, world: DashboardPorts): void {
  const acting = world.fleet ?? localActing(live, world);
  app.post('/api/loops/:loop/actions', limitedBody(), async (c) => {
    const loop = c.req.param('loop');
    // A run may wait for its first worker, and have no journal yet.
    const id = world.fleet?.has(loop) ? loop : known(loop, live).loop;
    const answer = await acting.act(id, parseAction(await jsonIn(c)));
    live.hub.publish({ type: 'request', loop: id, request: answer.request });
    return c.json(answer);
  });
}

class NotFound extends Error {}

/** The loop of this id. Only ids of folders that were found in the home lead anywhere. */
function known(id: string, live: Live) {
  const ref = isSafeId(id) ? live.loops.ref(id) : undefined;
  if (!ref) throw new NotFound('there is no loop of this id');
  return ref;
}

async function opened(id: string, live: Live) {
  const ref = known(id, live);
  const journal = await live.journal(ref.loop);
  if (!journal) throw new NotFound('there is no loop of this id');
  return { id: ref.loop, ref, journal };
}

async function viewOf(id: string, live: Live, world: DashboardPorts) {
  const { fleet } = world;
  await fleet?.opened(known(id, live).loop);
  const { ref, journal } = await opened(id, live);
  const { loops, hub } = live;
  const eventId = hub.eventId;
  loops.refresh(ref.loop);
  loops.lookAtTurn(ref.loop);
  loops.lookAgain([ref.loop]);
  const row = loops.row(ref.loop);
  const project = loops.projects().find((each) => each.id === row?.project);
  if (!row || !project) throw new NotFound('there is no loop of this id');
  const children = loops.rows().filter(({ run }) => run?.parent === ref.loop);
  const since = loops.sinceOf(ref.loop);
  const now = world.clock.now();
  const view = await loopPage({
    ref,
    row,
    journal,
    project,
    children,
    since,
    now,
    eventId,
    needs: loops.needsOf(ref.loop),
    world: world.open(),
    isElsewhere: fleet !== undefined,
    wallsHere: world.wallsHere,
  });
  if (!fleet) return view;
  const actions = fleet.actionsFor(ref.loop, row.status, view.actions);
  return { ...view, actions, requests: fleet.requestsOf(ref.loop, view.requests) };
}

/** Server-sent events go to the socket itself, so that a slow reader is noticed. */
async function openStream(c: Asked, live: Live, world: DashboardPorts): Promise<Response> {
  const { outgoing } = c.env;
  if (live.hub.size >= MOST_CLIENTS)
    return refuse(c, 503, {
      code: 'too_many',
      message: `${MOST_CLIENTS} pages are open already`,
      fix: 'Close some.',
    });
  const loop = c.req.query('loop');
  if (loop !== undefined && !live.loops.has(loop)) await live.allRead();
  const watched = loop !== undefined && live.loops.ref(loop) ? loop : undefined;
  const journal = watched === undefined ? undefined : await live.journal(watched).catch(() => undefined);
  outgoing.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'keep-alive',
    'x-content-type-options': 'nosniff',
    'content-security-policy': PAGE_POLICY,
    'referrer-policy': 'no-referrer',
  });
  const hello = { type: 'hello' as const, now: world.clock.now(), version: world.version };
  live.hub.add(outgoing, c.req.header('last-event-id') || c.req.query('after') || undefined, watched, hello);
  // A page that connects again sees by the total whether it missed lines.
  if (watched !== undefined && journal)
    live.hub.tell(watched, { type: 'entries', loop: watched, total: journal.entries, entries: [] });
  return RESPONSE_ALREADY_SENT;
}

function countIn(c: Asked, name: string, otherwise: number): number {
  const text = c.req.query(name);
  if (text === undefined || text === '') return otherwise;
  return placeIn(text);
}

function placeIn(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`"${text.slice(0, 20)}" is no number`);
  return Number(text);
}

function failed(c: Asked, error: Error): Response {
  if (error instanceof NotFound) return refuse(c, 404, { code: 'not_found', message: error.message });
  if (error instanceof UsageError) return refuse(c, 400, { code: 'refused', message: error.message });
  const code = codeOf(error);
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return refuse(c, 507, {
      code: 'disk_full',
      message: 'the disk is full: nothing was written',
      fix: 'Make room, then try again.',
    });
  if (error instanceof JournalError) return refuse(c, 409, { code: 'unreadable', message: error.message });
  if (code === 'ENOENT') return refuse(c, 404, { code: 'not_found', message: 'its files are gone' });
  return refuse(c, 500, { code: 'failed', message: error.message });
}

/** Of the system, however deep: what could not be opened is told as a problem of the journal. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return (error as NodeJS.ErrnoException).code ?? codeOf(error.cause);
}

function refuse(
  c: Asked,
  status: 400 | 401 | 403 | 404 | 409 | 413 | 415 | 421 | 500 | 503 | 507,
  problem: Problem,
): Response {
  // A person who opens an old link reads words, not JSON.
  if (c.req.header('accept')?.includes('text/html'))
    return c.text(`${problem.message}. ${problem.fix ?? ''}\n`, status);
  return c.json(problem, status);
}
