import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSearch } from '../messages/search-query.ts'
import type { Organization } from '../store/organization.ts'
import { resolveSearch, toDate } from './resolve-search.ts'

const person = (user_id: number, full_name: string) => ({ user_id, full_name, email: `user${user_id}@example.com` })

const organization = {
  user_id: 1,
  realm_users: [person(1, 'Zoë Ames'), person(2, 'Alice Liddell'), person(3, 'Alan Ames'), person(4, '5')],
  realm_non_active_users: [person(5, 'Carol Gone')],
  cross_realm_bots: [],
  subscriptions: [
    { stream_id: 7, name: 'design' },
    { stream_id: 8, name: 'design-review' },
  ],
  unsubscribed: [],
  never_subscribed: [{ stream_id: 9, name: 'general chat' }],
} as unknown as Organization

function resolve(text: string): string | undefined {
  const [resolved] = resolveSearch(parseSearch(text), organization)
  return resolved?.problem === null ? resolved.filter.operand : undefined
}

test('a person is found by name, start of a name, id, address and "me"', () => {
  const cases = {
    'from:alice': '2-Alice-Liddell',
    'from:"ALICE LIDDELL"': '2-Alice-Liddell',
    'from:zoe': '1-Zoë-Ames',
    'from:me': '1-Zoë-Ames',
    'from:3': '3-Alan-Ames',
    'from:3-Old-Name': '3-Alan-Ames',
    // A name that is equal takes precedence over an id.
    'from:5': '4-5',
    'from:user2@example.com': '2-Alice-Liddell',
    'from:"carol gone"': '5-Carol-Gone',
    'dm:alice,alan': '2-Alice-Liddell,3-Alan-Ames',
    'channel:#design': '7-design',
    'channel:design-r': '8-design-review',
    'channel:"general chat"': '9-general-chat',
    'channel:8-old-name': '8-design-review',
    'has:LINK': 'link',
    'is:private': 'dm',
    'in:design': '7-design',
    'in:home': 'home',
  }
  for (const [text, operand] of Object.entries(cases)) assert.equal(resolve(text), operand, text)
})

test('names that match no one or several people, and unknown operands, are not understood', () => {
  const texts = [
    'from:al',
    'from:ames',
    'from:zelda',
    'from:99',
    'dm:alice,zelda',
    'channel:desi',
    'channel:x',
    'has:x',
  ]
  for (const text of [...texts, 'is:', 'before:soon', 'near:x', 'id:-1', 'in:channels'])
    assert.equal(resolve(text), undefined, text)
})

test('days are dates, or words relative to today', () => {
  const today = new Date(2030, 2, 1, 23, 59)
  const cases = { today: '2030-03-01', Yesterday: '2030-02-28', '7d': '2030-02-22', '2029-1-5': '2029-01-05' }
  for (const [text, date] of Object.entries(cases)) assert.equal(toDate(text, today), date)
  for (const text of ['2029-02-29', '1', 'tomorrowish', '']) assert.equal(toDate(text, today), null)
})
