import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashLocation, looksLikeAddress } from './hash-links.ts'

const OWN = 7

/** Addresses of the Zulip web app, and the locations that they lead to; null for no location. */
const addresses: Readonly<Record<string, [to: string, search?: object] | null>> = {
  '#inbox': ['/inbox'],
  '#recent': ['/recent'],
  '#recent_topics': ['/recent'],
  '#feed': ['/combined'],
  '#all_messages': ['/combined'],
  '#drafts': ['/drafts'],
  '#scheduled': ['/scheduled'],
  '#reminders': ['/scheduled'],
  '#search': ['/search'],
  '#invite': ['/inbox', { invite: 'email' }],
  '#about-zulip': ['/settings/about'],
  '#settings': ['/settings/profile'],
  '#settings/uploaded-files': ['/settings/files'],
  '#settings/muted-users': ['/settings/muted-people'],
  '#settings/profile': ['/settings/profile'],
  '#settings/account-and-privacy': ['/settings/account'],
  '#settings/preferences': ['/settings/preferences'],
  '#settings/display-settings': ['/settings/preferences'],
  '#settings/alert-words': ['/settings/notifications'],
  '#settings/your-bots': ['/settings/bots'],
  '#organization': ['/organization/profile'],
  '#organization/organization-profile': ['/organization/profile'],
  '#organization/organization-permissions': ['/organization/permissions'],
  '#organization/emoji-settings': ['/organization/emoji'],
  '#organization/linkifier-settings': ['/organization/links'],
  '#organization/users/active': ['/organization/people'],
  '#organization/users/deactivated': ['/organization/people'],
  '#organization/users/invitations': ['/invitations'],
  '#organization/bot-list-admin': ['/organization/bots'],
  '#organization/data-exports-admin': ['/organization/exports'],
  '#organization/organization-level-user-defaults': ['/organization/new-users'],
  '#channels': ['/channels'],
  '#streams/all': ['/channels', { show: 'all' }],
  '#channels/subscribed': ['/channels', { show: 'subscribed' }],
  '#channels/notsubscribed': ['/channels', { show: 'available' }],
  '#channels/new': ['/channels/new'],
  '#channels/3/design': ['/channels/3/settings/general'],
  '#channels/3/design/subscribers': ['/channels/3/settings/subscribers'],
  '#channels/3/design/personal': ['/channels/3/settings/personal'],
  '#channels/design': null,
  '#topics/channel/3-design': ['/channels/3/topics'],
  '#groups': ['/organization/groups'],
  '#groups/your': ['/organization/groups'],
  '#groups/5/makers': ['/organization/groups', { group: 5 }],
  '#user/9': ['/people/9'],
  '#user/x': null,
  '#narrow/channel/3-design/topic/tea/near/5': ['/channels/3', { topic: 'tea', near: 5 }],
  '#narrow/channel/3-design/topic/tea/with/5': ['/channels/3', { topic: 'tea', with: 5 }],
  '#narrow/channel/3-design/-is/resolved': ['/search', { q: 'channel:3-design -is:resolved' }],
  '#narrow/nothing/known': null,
  '#constructor': null,
  '#main': null,
  '': null,
}

for (const [hash, meant] of Object.entries(addresses))
  test(`the address "${hash}" leads to ${meant?.[0] ?? 'nothing'}`, () => {
    assert.deepEqual(hashLocation(hash, OWN), meant && { to: meant[0], search: meant[1] ?? {} })
  })

test('fragments that look like addresses are told from parts of the page', () => {
  for (const hash of ['#narrow', '#narrow/is/nothing', '#channels/design', '#nowhere/else'])
    assert.equal(looksLikeAddress(hash), true, hash)
  for (const hash of ['', '#main', '#writing', '#conversations']) assert.equal(looksLikeAddress(hash), false, hash)
})
