import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Organization } from '../store/organization.ts'
import { quoteTypedNames, unfinishedName } from './typed-names.ts'

const organization = {
  user_id: 1,
  realm_users: ['Ada Lovelace', 'Bob Okafor', 'Bob Okafor Junior', 'Zed'].map((full_name, at) => ({
    user_id: at + 1,
    full_name,
  })),
  realm_non_active_users: [],
  cross_realm_bots: [],
  subscriptions: [{ stream_id: 7, name: 'general chat' }],
  unsubscribed: [],
  never_subscribed: [],
} as unknown as Organization

test('names with spaces are read without quotes', () => {
  const cases = {
    'sender:Bob Okafor map': 'sender:"Bob Okafor" map',
    'from:bob okafor junior': 'from:"bob okafor junior"',
    '-from:Bob Okafor': '-from:"Bob Okafor"',
    'dm:Ada Lovelace, Bob Okafor tea': 'dm:"Ada Lovelace,Bob Okafor" tea',
    'dm:ada,bob okafor': 'dm:"ada,bob okafor"',
    'channel:general chat tea': 'channel:"general chat" tea',
    'topic:release+1.4': 'topic:"release 1.4"',
    'topic:c++ from:Zed tea': 'topic:c++ from:Zed tea',
    'from:Bob tea': 'from:Bob tea',
    'from:"Bob Okafor" tea': 'from:"Bob Okafor" tea',
    '"as from:Bob Okafor"': '"as from:Bob Okafor"',
    'note:Bob Okafor': 'note:Bob Okafor',
  }
  for (const [text, quoted] of Object.entries(cases)) assert.equal(quoteTypedNames(text, organization), quoted, text)
})

test('the beginning of a name with spaces is an unfinished filter', () => {
  const operandOf = (typed: string) => unfinishedName(typed, organization)?.operand

  assert.equal(operandOf('tea from:Bob Oka'), 'Bob Oka')
  assert.equal(operandOf('from:Bob '), 'Bob ')
  assert.equal(operandOf('dm:Ada Lovelace, Bob O'), 'Ada Lovelace, Bob O')
  assert.equal(operandOf('from:Bob tea'), undefined)
  assert.equal(operandOf('from:Zed '), undefined)
  assert.equal(unfinishedName('tea -from:Bob O', organization)?.start, 4)
})
