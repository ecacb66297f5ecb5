import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type NavItem, navItems, PHONE_NAV_ITEMS } from './nav-items.ts'

const inBar = navItems({ invitations: true, outbox: true })

const labelAt = (places: readonly NavItem[], path: string) =>
  places.filter(({ holds }) => holds(path)).map(({ label }) => label)

test('each page belongs to one item of the bar', () => {
  assert.deepEqual(
    ['/', '/inbox', '/channels/5', '/dm/7', '/channels', '/channels/new', '/channels/5/settings/general'].map((path) =>
      labelAt(inBar, path),
    ),
    [['Home'], ['Home'], ['Home'], ['Home'], ['Channels'], ['Channels'], ['Channels']],
  )
  assert.deepEqual(
    ['/people', '/invitations', '/outbox', '/settings/profile', '/organization/people'].map((path) =>
      labelAt(inBar, path),
    ),
    [['People'], ['Invitations'], ['Outbox'], ['Settings'], []],
  )
})

test('on phones, message views belong to the item that leads to them', () => {
  assert.deepEqual(
    ['/inbox', '/channels/5', '/channels', '/dm/7', '/people', '/', '/settings/profile'].map((path) =>
      labelAt(PHONE_NAV_ITEMS, path),
    ),
    [['Inbox'], ['Channels'], ['Channels'], ['People'], ['People'], [], []],
  )
})

test('Invitations and Outbox are shown to users who may see them', () => {
  const labels = navItems({ invitations: false, outbox: false }).map(({ label }) => label)

  assert.deepEqual(labels, ['Home', 'Channels', 'People', 'Settings'])
  assert.deepEqual(
    navItems({ invitations: true, outbox: false }).map(({ label }) => label),
    ['Home', 'Channels', 'People', 'Invitations', 'Settings'],
  )
})
