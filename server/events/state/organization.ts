import { z } from 'zod'
import { groupJson } from '#groups/group-json.ts'
import { listGroups } from '#groups/list-groups.ts'
import { domainJson, toDomainJson } from '#realms/domain-json.ts'
import { findRealmDomains } from '#realms/domain-queries.ts'
import { emojiJson, toEmojiJson } from '#realms/emoji-json.ts'
import { findRealmEmoji } from '#realms/emoji-queries.ts'
import { linkifierJson, toLinkifierJson } from '#realms/linkifier-json.ts'
import { findLinkifiers } from '#realms/linkifier-queries.ts'
import { playgroundJson, toPlaygroundJson } from '#realms/playground-json.ts'
import { findPlaygrounds } from '#realms/playground-queries.ts'
import { stateSlice } from './slice.ts'

export const groupSlice = stateSlice({
  types: ['realm_user_groups'],
  returns: { realm_user_groups: z.array(groupJson) },
  async fetch({ db, actor, now, form }) {
    const options = { includesDeactivated: form.includesDeactivatedGroups }
    return { realm_user_groups: await listGroups(db, actor, now, options) }
  },
})

export const emojiSlice = stateSlice({
  types: ['realm_emoji'],
  returns: { realm_emoji: z.record(z.string(), emojiJson) },
  async fetch({ db, actor }) {
    return { realm_emoji: toEmojiJson(await findRealmEmoji(db, actor.realmId)) }
  },
})

export const linkifierSlice = stateSlice({
  types: ['realm_linkifiers'],
  returns: {
    realm_linkifiers: z.array(linkifierJson).describe('Empty for clients that do not support URL templates.'),
  },
  async fetch({ db, actor, form }) {
    const { rules } = await findLinkifiers(db, actor.realmId)
    return { realm_linkifiers: form.takesLinkifierTemplates ? rules.map(toLinkifierJson) : [] }
  },
})

export const domainSlice = stateSlice({
  types: ['realm_domains'],
  returns: { realm_domains: z.array(domainJson) },
  async fetch({ db, actor }) {
    return { realm_domains: (await findRealmDomains(db, actor.realmId)).map(toDomainJson) }
  },
})

export const playgroundSlice = stateSlice({
  types: ['realm_playgrounds'],
  returns: { realm_playgrounds: z.array(playgroundJson) },
  async fetch({ db, actor }) {
    return { realm_playgrounds: (await findPlaygrounds(db, actor.realmId)).map(toPlaygroundJson) }
  },
})
