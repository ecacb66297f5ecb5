import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rewriteContent } from './rewrite-content.ts'

const find = (ids: Record<number, number>) => (id: number) => ids[id]
const names = {
  userId: find({ 11: 101, 12: 102 }),
  channelId: find({ 31: 301 }),
  messageId: find({ 7001: 5 }),
  uploadPath: (path: string) => (path === '9/ab/X/a_b.txt' ? '2/cd/Y/a_b.txt' : undefined),
  moved: { from: 'https://chat.old.example', to: 'https://new.example' },
}

for (const [given, expected] of [
  ['plain text of 11 and 7001', 'plain text of 11 and 7001'],
  ['@**Mara|11** and @_**Tom|12**', '@**Mara|101** and @_**Tom|102**'],
  ['@**Mara** and @**Nobody|99**', '@**Mara** and @**Nobody|99**'],
  ['#**docks>tide@7001** #**docks>tide@99**', '#**docks>tide@5** #**docks>tide@99**'],
  ['[x](/user_uploads/9/ab/X/a_b.txt)', '[x](/user_uploads/2/cd/Y/a_b.txt)'],
  ['see /user_uploads/9/ab/X/a_b.txt.', 'see /user_uploads/2/cd/Y/a_b.txt.'],
  ['/user_uploads/9/ab/X/other.txt', '/user_uploads/9/ab/X/other.txt'],
  ['https://chat.old.example/user_uploads/9/ab/X/a_b.txt', 'https://new.example/user_uploads/2/cd/Y/a_b.txt'],
  ['[x](#narrow/stream/31-docks/topic/tide/near/7001)', '[x](#narrow/stream/301-docks/topic/tide/near/5)'],
  ['/#narrow/dm/11,12-group/id/7001', '/#narrow/dm/101,102-group/id/5'],
  ['/#narrow/channel/99-x/topic/11/with/7001', '/#narrow/channel/99-x/topic/11/with/5'],
  [
    'https://chat.old.example/#narrow/channel/31-docks/topic/a.20b',
    'https://new.example/#narrow/channel/301-docks/topic/a.20b',
  ],
  [
    'https://another.example/#narrow/channel/31-docks/near/7001',
    'https://another.example/#narrow/channel/31-docks/near/7001',
  ],
] as const) {
  test(`old ids are replaced by new ones: ${given}`, () => {
    assert.equal(rewriteContent(given, names), expected)
  })
}
