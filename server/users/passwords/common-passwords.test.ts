import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCommonPassword } from './common-passwords.ts'

test('what anybody would try first is common', () => {
  const common = [
    'password',
    'Password123!',
    'PASSWORT2024',
    'qwertyuiop',
    'letmein!!',
    'aaaaaaaa',
    'abcabcabc',
    '12121212',
  ]

  for (const password of [...common, '12345678', '1234567890', '87654321', 'abcdefgh', 'iloveyou1'])
    assert.equal(isCommonPassword(password), true, password)
})

test('what only looks like it is not', () => {
  for (const password of ['correct horse', 'password of my own', 'mydragonsleeps', '13579246', 'abcdefgx', 'aaaabbbb'])
    assert.equal(isCommonPassword(password), false, password)
})
