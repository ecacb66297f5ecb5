import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatMoment, formatMomentFully } from './moments.ts'

const at = Date.parse('2026-11-25T14:05:00Z')
const plain = (text: string) => text.replace(/\u202f|\u2009/g, ' ')

test('a time is shown in the zone and format of the reader', () => {
  const helsinki = { locale: 'en-GB', timeZone: 'Europe/Helsinki' }
  const newYork = { locale: 'en-US', timeZone: 'America/New_York' }

  assert.equal(formatMoment(at, at, true, helsinki), 'Wed 25 Nov, 16:05')
  assert.equal(plain(formatMoment(at, at, false, newYork)), 'Wed, Nov 25, 9:05 AM')
  assert.equal(plain(formatMomentFully(at, true, newYork)), 'Wednesday, November 25, 2026 at 09:05:00 EST')
})

test('the hour of 12 hours has no leading zero', () => {
  const utc = { locale: 'en-GB', timeZone: 'UTC' }
  const morning = Date.parse('2026-11-25T08:05:00Z')

  assert.equal(plain(formatMoment(morning, at, false, utc)), 'Wed 25 Nov, 8:05 am')
  assert.match(plain(formatMomentFully(morning, false, utc)), / 8:05:00 am /)
})

test('a time of another year has the year', () => {
  const utc = { locale: 'en-GB', timeZone: 'UTC' }

  assert.equal(formatMoment(Date.parse('2027-01-01T00:00:00Z'), at, true, utc), 'Fri, 1 Jan 2027, 00:00')
})
