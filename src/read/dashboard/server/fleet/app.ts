/** What the page of the fleet asks for. */
import type { Env, Hono } from 'hono';
import { UsageError } from '../../../../engine/core/text/errors.ts';
import type { FleetRequest } from '../../view/fleet-types.ts';
import { jsonIn, limitedBody } from '../body.ts';
import type { FleetSide } from './side.ts';

export function addFleet<E extends Env>(app: Hono<E>, fleet: FleetSide): void {
  app.get('/api/fleet', (c) => c.json(fleet.view()));
  app.post('/api/fleet', limitedBody(), async (c) => c.json(await fleet.order(parseOrder(await jsonIn(c)))));
}

function parseOrder(value: unknown): FleetRequest {
  const { action, worker } = { ...(value as Record<string, unknown> | null) };
  if (action === 'pause' || action === 'resume') return { action };
  if (action !== 'drain' && action !== 'undrain')
    throw new UsageError('the request is not understood: "action" is none of pause, resume, drain, undrain');
  if (typeof worker !== 'string' || worker === '')
    throw new UsageError('the request is not understood: "worker" is the name of a worker');
  return { action, worker };
}
