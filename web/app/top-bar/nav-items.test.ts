import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type NavItem, navItems, PHONE_NAV_ITEMS } from './nav-items.ts'

const inBar = navItems({ invitations: true, outbox: true })

const labelAt = (places: readonly NavItem[], path: string) =>
  places.filter(({ holds }) => holds(path)).map(({ label }) => label)

test('a page is in one place of the bar', () => {
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

test('on a phone what one reads is in the place by which one came', () => {
  assert.deepEqual(
    ['/inbox', '/channels/5', '/channels', '/dm/7', '/people', '/', '/settings/profile'].map((path) =>
      labelAt(PHONE_NAV_ITEMS, path),
    ),
    [['Inbox'], ['Channels'], ['Channels'], ['People'], ['People'], [], []],
  )
})

test('invitations and the outbox are there for those who may see them', () => {
  const labels = navItems({ invitations: false, outbox: false }).map(({ label }) => label)

  assert.deepEqual(labels, ['Home', 'Channels', 'People', 'Settings'])
  assert.deepEqual(
    navItems({ invitations: true, outbox: false }).map(({ label }) => label),
    ['Home', 'Channels', 'People', 'Invitations', 'Settings'],
  )
})
