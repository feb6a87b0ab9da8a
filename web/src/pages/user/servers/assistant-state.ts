import type { Priority, Usage } from '../../../site-scripts/score-locations.ts';

/** The demonstration's states, apart from its screen: specification 2, "server recommendation demo". Times are the screen's. */

export interface DemoState {
  /** 0 preferences, 1 recommendations, 2 connected. */
  readonly step: 0 | 1 | 2;
  /** While ARIA "thinks", its suggestions are not there yet. */
  readonly analysing: boolean;
  readonly priority: Priority;
  readonly usage: Usage;
  readonly selected: string | undefined;
  readonly connection: 'disconnected' | 'connecting' | 'connected';
}

export type DemoEvent =
  | { readonly type: 'analyse'; readonly priority: Priority; readonly usage: Usage }
  | { readonly type: 'analysed' }
  | { readonly type: 'select'; readonly key: string }
  | { readonly type: 'connected' }
  | { readonly type: 'disconnect' }
  | { readonly type: 'restart' };

export const initialDemo: DemoState = {
  step: 0,
  analysing: false,
  priority: 'speed',
  usage: 'streaming',
  selected: undefined,
  connection: 'disconnected',
};

export function decideDemo(state: DemoState, event: DemoEvent): DemoState {
  switch (event.type) {
    case 'analyse':
      return { ...state, step: 1, analysing: true, priority: event.priority, usage: event.usage };
    case 'analysed':
      return { ...state, analysing: false };
    case 'select':
      // A choice made while connecting is ignored.
      if (state.connection === 'connecting') return state;
      return { ...state, selected: event.key, connection: 'connecting' };
    case 'connected':
      if (state.connection !== 'connecting') return state;
      return { ...state, connection: 'connected', step: state.step === 1 ? 2 : state.step };
    case 'disconnect':
      return { ...state, selected: undefined, connection: 'disconnected', step: state.step === 2 ? 1 : state.step };
    case 'restart':
      return { ...initialDemo, priority: state.priority, usage: state.usage };
  }
}
