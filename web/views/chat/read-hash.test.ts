import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHash } from './read-hash.ts'

const OWN = 7

const links: Readonly<Record<string, ReturnType<typeof readHash>>> = {
  '#narrow/channel/3-new-design': { narrow: { kind: 'channel', channelId: 3 } },
  '#narrow/channel/3-new-design/topic/v1.2E0.20.C3.A9/near/12': {
    narrow: { kind: 'topic', channelId: 3, topic: 'v1.0 é' },
    near: 12,
  },
  '#narrow/stream/3/subject/tea/with/9': { narrow: { kind: 'topic', channelId: 3, topic: 'tea' }, near: 9 },
  '#narrow/channel/3-x/topic/': { narrow: { kind: 'topic', channelId: 3, topic: '' } },
  '#narrow/dm/9,8-dm/near/13': { narrow: { kind: 'direct', people: [8, 9] }, near: 13 },
  '#narrow/dm/7,9-group': { narrow: { kind: 'direct', people: [9] } },
  '#narrow/is/starred': { narrow: { kind: 'starred' } },
  '#narrow/search/warm.20grey': { narrow: { kind: 'search', query: 'warm grey' } },
  'narrow/channel/3-new-design/topic/v1.2E0.20.2850.25.29/near/12': {
    narrow: { kind: 'topic', channelId: 3, topic: 'v1.0 (50%)' },
    near: 12,
  },
  'narrow/channel/3-new-design/topic//with/5': { narrow: { kind: 'topic', channelId: 3, topic: '' }, near: 5 },
  'narrow/is/mentioned/id/4': { narrow: { kind: 'mentions' }, near: 4 },
  narrow: null,
  main: null,
  'narrow/channel/3-x/topic/.ZZ': null,
  '#narrow/channel/design': null,
  '#narrow/dm/x': null,
  '#settings/profile': null,
  '': null,
}

for (const [link, meant] of Object.entries(links))
  test(`the link "${link}" is read`, () => {
    assert.deepEqual(readHash(link, OWN), meant)
  })
