import { byId, type Reducer } from '../reducer.ts'

/** Alert words, drafts, snippets and muted users. */
export const personalReducer: Reducer = {
  eventTypes: ['alert_words', 'muted_users', 'drafts', 'saved_snippets', 'has_zoom_token'],
  apply(state, event) {
    const { type, op } = event
    if (type === 'alert_words') state['alert_words'] = event['alert_words']
    if (type === 'muted_users') state['muted_users'] = event['muted_users']
    if (type === 'has_zoom_token') state['has_zoom_token'] = event['value']
    if (type === 'drafts') {
      const gone =
        op === 'remove' ? [event['draft_id']] : [...(event['drafts'] ?? []), event['draft']].map((one) => one?.id)
      const others = state['drafts'].filter(({ id }: { id: number }) => !gone.includes(id))
      state['drafts'] = [...others, ...(event['drafts'] ?? []), ...(event['draft'] ? [event['draft']] : [])]
    }
    if (type === 'saved_snippets') {
      const id = op === 'remove' ? event['saved_snippet_id'] : event['saved_snippet'].id
      const others = state['saved_snippets'].filter((one: { id: number }) => one.id !== id)
      state['saved_snippets'] = op === 'remove' ? others : [...others, event['saved_snippet']]
    }
  },
  normalize(state) {
    // Clients that do not synchronize drafts keep none.
    if (!state['user_settings'].enable_drafts_synchronization) state['drafts'] = []
    state['drafts'] = byId(state['drafts'], 'id')
    state['saved_snippets'] = byId(state['saved_snippets'], 'id')
    state['muted_users'] = byId(state['muted_users'], 'id')
    state['alert_words'] = state['alert_words'].toSorted()
  },
}
