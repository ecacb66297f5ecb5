import { z } from 'zod'
import { alwaysNull } from '#lib/encoding/always-null.ts'
import { type StateSlice, stateSlice } from './slice.ts'

const nothing = z.array(z.never())

/** State of features that this server does not have. Clients expect the fields. */
export const emptySlices = [
  stateSlice({
    types: ['onboarding_steps'],
    returns: { onboarding_steps: nothing, navigation_tour_video_url: alwaysNull('string') },
    fetch: () => ({ onboarding_steps: [], navigation_tour_video_url: null }),
  }),
  stateSlice({
    types: ['realm_filters'],
    returns: { realm_filters: nothing.describe('The older form of linkifiers; always empty.') },
    fetch: () => ({ realm_filters: [] }),
  }),
  stateSlice({
    types: ['default_stream_groups'],
    returns: { realm_default_stream_groups: nothing },
    fetch: () => ({ realm_default_stream_groups: [] }),
  }),
  stateSlice({
    types: ['realm_embedded_bots'],
    returns: { realm_embedded_bots: nothing },
    fetch: () => ({ realm_embedded_bots: [] }),
  }),
  stateSlice({
    types: ['realm_incoming_webhook_bots'],
    returns: { realm_incoming_webhook_bots: nothing },
    fetch: () => ({ realm_incoming_webhook_bots: [] }),
  }),
  stateSlice({
    types: ['realm_billing'],
    returns: { realm_billing: z.strictObject({ has_pending_sponsorship_request: z.literal(false) }) },
    fetch: () => ({ realm_billing: { has_pending_sponsorship_request: false as const } }),
  }),
  stateSlice({
    types: ['stop_words'],
    returns: { stop_words: nothing },
    fetch: () => ({ stop_words: [] }),
  }),
  stateSlice({
    types: ['video_calls'],
    returns: { has_zoom_token: z.literal(false) },
    fetch: () => ({ has_zoom_token: false as const }),
  }),
  stateSlice({
    types: ['giphy'],
    returns: { giphy_api_key: z.literal('') },
    fetch: () => ({ giphy_api_key: '' as const }),
  }),
] as const satisfies readonly StateSlice[]
