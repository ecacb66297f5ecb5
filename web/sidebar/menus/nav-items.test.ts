import assert from 'node:assert/strict'
import { test } from 'node:test'
import { organizationItems } from './nav-items.ts'

const pathsOf = (visibility: Parameters<typeof organizationItems>[0]) =>
  organizationItems(visibility).map(({ to }) => to)

test('members see the pages of the organization, without those of administrators', () => {
  assert.deepEqual(pathsOf({ canInvite: true, isAdmin: false, isGuest: false }), [
    '/channels',
    '/people',
    '/invitations',
    '/add-integration',
    '/organization/groups',
    '/organization/emoji',
  ])
})

test('administrators see the outbox and the administration', () => {
  assert.deepEqual(pathsOf({ canInvite: false, isAdmin: true, isGuest: false }), [
    '/channels',
    '/people',
    '/invitations',
    '/outbox',
    '/add-integration',
    '/organization/people',
  ])
})

test('guests see channels and people', () => {
  assert.deepEqual(pathsOf({ canInvite: false, isAdmin: false, isGuest: true }), ['/channels', '/people'])
})
