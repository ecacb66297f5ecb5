import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toEmojiName } from './emoji-choices.ts'

for (const [fileName, name] of [
  ['party parrot.gif', 'party_parrot'],
  ['Zoë’s cat (2).PNG', 'zoe_s_cat_2'],
  ['thumbs-up.v2.png', 'thumbs-up.v2'],
  ['__x__.png', 'x'],
  ['猫.png', ''],
  [`${'a'.repeat(99)} b.png`, 'a'.repeat(99)],
] as const)
  test(`${fileName} is proposed as :${name}:`, () => assert.equal(toEmojiName(fileName), name))
