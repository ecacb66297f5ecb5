import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameOfChip, namesOf, type Reaction, toChips, tooltipOfChip } from './reaction-chips.ts'

const OWN = 10

const thumb = (user_id: number): Reaction => ({
  emoji_name: '+1',
  emoji_code: '1f44d',
  reaction_type: 'unicode_emoji',
  user_id,
})
const custom = (user_id: number, emoji_code: string): Reaction => ({
  emoji_name: 'blob',
  emoji_code,
  reaction_type: 'realm_emoji',
  user_id,
})

const nameOf = (id: number) => `P${id}`

test('reactions are grouped by emoji, not by name', () => {
  const chips = toChips([thumb(1), custom(2, '5'), thumb(OWN), custom(3, '6'), thumb(1)])

  assert.deepEqual(
    chips.map(({ key, userIds }) => [key, userIds]),
    [
      ['unicode_emoji/1f44d', [1, OWN]],
      ['realm_emoji/5', [2]],
      ['realm_emoji/6', [3]],
    ],
  )
})

test('the user is named first, and many others are counted', () => {
  assert.equal(namesOf([OWN], OWN, nameOf), 'you')
  assert.equal(namesOf([1, OWN], OWN, nameOf), 'you and P1')
  assert.equal(namesOf([1, 2, 3, 4], OWN, nameOf), 'P1, P2, P3, and P4')
  assert.equal(namesOf([1, 2, 3, 4, OWN], OWN, nameOf), 'you, P1, P2, and 2 others')
})

test('the label of a chip describes the effect of a click', () => {
  const [mine] = toChips([thumb(OWN), thumb(1)])
  const [theirs] = toChips([custom(1, '5')])

  assert.equal(nameOfChip(mine!, OWN, nameOf), '+1 2, you and P1; remove your reaction')
  assert.equal(nameOfChip(theirs!, OWN, nameOf), 'blob 1, P1; add this reaction')
})

test('the tooltip of a chip names up to a dozen people', () => {
  const [mine] = toChips([thumb(1), thumb(2), thumb(3), thumb(4), thumb(5), thumb(OWN)])
  const [many] = toChips(Array.from({ length: 20 }, (_, index) => custom(index + 20, '5')))

  assert.equal(tooltipOfChip(mine!, OWN, nameOf), 'You, P1, P2, P3, P4, and P5 reacted with :+1:')
  assert.match(tooltipOfChip(many!, OWN, nameOf), /^P20, .*P31, and 8 others reacted with :blob:$/)
})
