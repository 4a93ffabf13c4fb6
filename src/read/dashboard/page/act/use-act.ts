import { useState } from 'preact/hooks';
import type { ActionAnswer, ActionRequest, Problem } from '../../view/types.ts';
import { act, problemOf } from '../state/api.ts';

interface Acting {
  /** On its way to the server. */
  sending?: ActionRequest;
  /** It is in the journal: requested, not yet taken. */
  answer?: ActionAnswer;
  problem?: Problem;
}

export interface Actor extends Acting {
  /** Resolves to whether it was accepted. */
  send(request: ActionRequest): Promise<boolean>;
}

export function useAct(loop: string): Actor {
  const [acting, setActing] = useState<Acting>({});
  const send = async (request: ActionRequest): Promise<boolean> => {
    setActing({ sending: request });
    try {
      setActing({ answer: await act(loop, request) });
      return true;
    } catch (error) {
      setActing({ problem: problemOf(error) });
      return false;
    }
  };
  return { ...acting, send };
}
