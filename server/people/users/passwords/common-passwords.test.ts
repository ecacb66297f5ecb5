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

test('the passwords that leaked most often are common, and words of them with a year or digits around them', () => {
  for (const password of ['abcd1234', 'company1', 'Summer2026', 'parley123', '!Sunflower7', '13579246', 'aaaabbbb'])
    assert.equal(isCommonPassword(password), true, password)
})

test('the name of the organization is common there, and what is put together of it and of our name', () => {
  for (const password of ['Caerphilly2026!', 'caerphillydairy', 'Caerphilly-Dairy1', 'ParleyCaerphilly'])
    assert.deepEqual(
      [isCommonPassword(password, 'Caerphilly Dairy'), isCommonPassword(password)],
      [true, false],
      password,
    )
  assert.equal(isCommonPassword('caerphilly tastes odd', 'Caerphilly Dairy'), false)
})

test('what only looks like it is not', () => {
  for (const password of ['correct horse', 'password of my own', 'mydragonsleeps', 'abcdefgx', 'monkey-7391-2846-0517'])
    assert.equal(isCommonPassword(password), false, password)
})
