import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Delivery, filterInvitations, type StateFilter, toCsv, toInvitationRows } from './invitation-rows.ts'

const common = { invited_by_user_id: 1, invited: 100, expiry_date: 200, invited_as: 400, notify_referrer_on_join: true }
const delivery = { mail_id: 9, queued_at: 100, next_attempt_at: null, attempts: 5, reply: '550 No', ended_at: 110 }

const rows = toInvitationRows({
  pending: [
    { ...common, id: 1, email: 'old@x.com', is_multiuse: false },
    { ...common, id: 2, email: 'new@x.com', is_multiuse: false, invited: 150, invited_by_user_id: 2 },
    {
      ...common,
      id: 3,
      is_multiuse: true,
      link_url: 'https://x.com/join/a/',
      uses: 2,
      max_uses: null,
      allowed_domains: [],
    },
  ],
  past: [
    { ...common, id: 4, email: 'in@x.com', is_multiuse: false, state: 'accepted', ended_at: 180 },
    { ...common, id: 5, email: '=cmd@x.com', is_multiuse: false, state: 'expired', ended_at: 170 },
  ],
  deliveries: [{ ...delivery, invite_id: 1, state: 'failed' }] as Delivery[],
  nameOf: (id) => (id === 1 ? 'Ada "A" Lovelace' : 'Ben'),
})

test('pending invitations come first, newest on top, each with its email', () => {
  assert.deepEqual(
    rows.map(({ id, state, delivery }) => [id, state, delivery?.state ?? null]),
    [
      [2, 'pending', null],
      [3, 'pending', null],
      [1, 'pending', 'failed'],
      [4, 'accepted', null],
      [5, 'expired', null],
    ],
  )
})

test('invitations are filtered by status, inviter and text', () => {
  const found = (filter: { whose?: 'all' | 'mine'; state?: StateFilter; text?: string }) =>
    filterInvitations(rows, { whose: 'all', state: 'any', text: '', ...filter }, 2).map(({ id }) => id)

  assert.deepEqual(found({ whose: 'mine' }), [2])
  assert.deepEqual(found({ state: 'failed' }), [1])
  assert.deepEqual(found({ state: 'used' }), [4])
  assert.deepEqual(found({ state: 'expired' }), [5])
  assert.deepEqual(found({ text: 'OLD@' }), [1])
  assert.deepEqual(found({ text: 'lovelace', state: 'pending' }), [3, 1])
})

test('spreadsheets get text, and never a formula', () => {
  const lines = toCsv(rows, () => 'Member').split('\r\n')

  assert.equal(lines.length, 6)
  assert.equal(
    lines[3],
    '"old@x.com","email","pending","Member","Ada ""A"" Lovelace","1970-01-01T00:01:40.000Z","1970-01-01T00:03:20.000Z","failed","0","1"',
  )
  assert.match(lines[5] ?? '', /^"'=cmd@x\.com"/)
})
