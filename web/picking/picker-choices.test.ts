import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lists } from '../../test/web/picking-lists.ts'
import {
  type PickerChoice,
  pickedAddresses,
  pickedPeople,
  pickerOptions,
  pickLabel,
  picksOf,
} from './picker-choices.ts'

test('active users, groups and channels are offered, each kind by name', () => {
  const labels = (offered: Parameters<typeof pickerOptions>[1]) =>
    pickerOptions(lists, offered).map(({ label, hint }) => `${label}: ${hint}`)

  assert.deepEqual(labels({ groups: 'all', channels: true }), [
    'Ada: Owner',
    'Ben: ben@example.com',
    'Robot: Bot',
    'Everyone except guests: Group, 2 people',
    'makers: Group, 2 people',
    'design: Subscribers',
  ])
  assert.deepEqual(labels({ groups: 'named', channels: false }).slice(3), ['makers: Group, 2 people'])
})

test('email addresses match users in any case, or are unknown', () => {
  const picks = picksOf(lists, ['BEN@example.com', 'user1@chat.example', 'gone@example.com'])

  assert.deepEqual(picks, ['person:2', 'person:1', 'unknown:gone@example.com'])
  assert.deepEqual(pickedAddresses(picks), ['gone@example.com'])
})

test('picks resolve to active users without duplicates', () => {
  assert.deepEqual(pickedPeople(lists, ['person:1', 'group:12', 'channel:5', 'unknown:x@y'], [2, 4, 3]), [1, 2, 4])
})

test('picks are labeled by name, and deleted ones as such', () => {
  const choices: PickerChoice[] = [
    'person:2',
    'group:11',
    'channel:5',
    'unknown:x@y.z',
    'person:99',
    'channel:99',
    'group:99',
  ]

  assert.deepEqual(
    choices.map((choice) => pickLabel(lists, choice)),
    [
      'Ben',
      'Everyone except guests',
      'design',
      'x@y.z',
      'No longer available',
      'No longer available',
      'No longer available',
    ],
  )
})
