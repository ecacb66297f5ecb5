import { can, type Reducer } from '../reducer.ts'

/** Lists of the organization that events replace as a whole. */
export const organizationReducer: Reducer = {
  eventTypes: [
    'default_streams',
    'realm_domains',
    'realm_emoji',
    'realm_linkifiers',
    'realm_playgrounds',
    'realm_user_settings_defaults',
  ],
  apply(state, event, form) {
    const { type, op, realm_domain: given, domain } = event
    if (type === 'default_streams') state['realm_default_streams'] = event['default_streams']
    if (type === 'realm_emoji') state['realm_emoji'] = event['realm_emoji']
    if (type === 'realm_playgrounds') state['realm_playgrounds'] = event['realm_playgrounds']
    if (type === 'realm_user_settings_defaults') state[type][event['property']] = event['value']
    if (type === 'realm_linkifiers') {
      if (!can(form, 'linkifier_url_template')) throw new Error('An event lists linkifiers in an unknown form')
      state['realm_linkifiers'] = event['realm_linkifiers']
    }
    if (type !== 'realm_domains') return
    const name = op === 'remove' ? domain : given.domain
    const others = state['realm_domains'].filter((one: { domain: string }) => one.domain !== name)
    state['realm_domains'] = op === 'remove' ? others : [...others, given]
  },
  normalize(state) {
    const nameOf = ({ domain }: { domain: string }) => domain
    state['realm_domains'] = state['realm_domains'].toSorted((one: never, other: never) =>
      nameOf(one) < nameOf(other) ? -1 : 1,
    )
  },
}
