import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '../api/api-error.ts'
import { fieldErrors } from './app-error.ts'

const failure = (field: string | null) =>
  new ApiError('Name too long!', { status: 400, code: 'BAD_REQUEST', route: 'POST /bots', field, extras: {} })

test('an error is shown at the form field that the server names', () => {
  assert.deepEqual(fieldErrors(failure('full_name'), { full_name: 'name', short_name: 'shortName' }), {
    name: 'Name too long!',
  })
})

test('an error about no field, or one that the form lacks, is shown at none', () => {
  assert.deepEqual(fieldErrors(failure(null), { full_name: 'name' }), {})
  assert.deepEqual(fieldErrors(failure('bot_type'), { full_name: 'name' }), {})
  assert.deepEqual(fieldErrors(new Error('broken'), { full_name: 'name' }), {})
})
