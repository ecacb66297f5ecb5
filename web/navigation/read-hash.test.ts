import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHash } from './hash-links.ts'

const OWN = 7

const searched = (query: string) => ({ narrow: { kind: 'search', query } as const })

const links: Readonly<Record<string, ReturnType<typeof readHash>>> = {
  '#narrow/channel/3-new-design': { narrow: { kind: 'channel', channelId: 3 } },
  '#narrow/channel/3-new-design/near/4': { narrow: { kind: 'channel', channelId: 3 }, near: 4 },
  '#narrow/channel/3-new-design/topic/v1.2E0.20.C3.A9/near/12': {
    narrow: { kind: 'topic', channelId: 3, topic: 'v1.0 é' },
    near: 12,
  },
  '#narrow/stream/3/subject/tea/with/9': { narrow: { kind: 'topic', channelId: 3, topic: 'tea' }, with: 9 },
  '#narrow/channel/3-x/topic/': { narrow: { kind: 'topic', channelId: 3, topic: '' } },
  '#narrow/dm/9,8-dm/near/13': { narrow: { kind: 'direct', people: [8, 9] }, near: 13 },
  '#narrow/dm/7,9-group': { narrow: { kind: 'direct', people: [9] } },
  '#narrow/pm-with/9-ada': { narrow: { kind: 'direct', people: [9] } },
  '#narrow/is/starred': { narrow: { kind: 'starred' } },
  '#narrow/is/dm': { narrow: { kind: 'direct-messages' } },
  '#narrow/in/home': { narrow: { kind: 'combined' } },
  '#narrow/near/5': { narrow: { kind: 'combined' }, near: 5 },
  '#narrow/has/reaction/sender/me': { narrow: { kind: 'reactions' } },
  '#narrow/sender/7-Me/has/reaction': { narrow: { kind: 'reactions' } },
  '#narrow/search/warm.20grey': searched('warm grey'),
  '#narrow/is/unread': searched('is:unread'),
  '#narrow/-is/starred': searched('-is:starred'),
  '#narrow/sender/9-Ada.20Lovelace': searched('from:"9-Ada Lovelace"'),
  '#narrow/sender/9/has/reaction': searched('from:9 has:reaction'),
  '#narrow/channel/3-design/topic/tea/is/unread': searched('channel:3-design topic:tea is:unread'),
  '#narrow/channel/3-design/-topic/a.20.22b.22': searched('channel:3-design -topic:"a ""b"""'),
  '#narrow/streams/public/search/tea': searched('channels:public tea'),
  '#narrow/-search/tea/is/alerted': searched('-tea is:alerted'),
  '#narrow/dm-including/9-ada/near/5': { ...searched('dm-including:9-ada'), near: 5 },
  '#narrow/stream/design/topic/tea': searched('channel:design topic:tea'),
  'narrow/channel/3-new-design/topic/v1.2E0.20.2850.25.29/near/12': {
    narrow: { kind: 'topic', channelId: 3, topic: 'v1.0 (50%)' },
    near: 12,
  },
  'narrow/channel/3-new-design/topic//with/5': { narrow: { kind: 'topic', channelId: 3, topic: '' }, with: 5 },
  'narrow/is/mentioned/id/4': { narrow: { kind: 'mentions' }, near: 4 },
  narrow: null,
  'narrow/': null,
  main: null,
  'narrow/channel/3-x/topic/.ZZ': null,
  'narrow/channel/3-x/near/x': null,
  '#narrow/channel': null,
  '#narrow/unknown/3': null,
  '#narrow/constructor/3': null,
  '#settings/profile': null,
  '': null,
}

for (const [link, meant] of Object.entries(links))
  test(`the link "${link}" is read`, () => {
    assert.deepEqual(readHash(link, OWN), meant)
  })
