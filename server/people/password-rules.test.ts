import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCommonPassword, requireUsablePassword } from './password-rules.ts'

test('passwords that are easy to guess are refused', () => {
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

test('leaked passwords are refused, and so are words from them with digits around them', () => {
  for (const password of ['abcd1234', 'company1', 'Summer2026', 'parley123', '!Sunflower7', '13579246', 'aaaabbbb'])
    assert.equal(isCommonPassword(password), true, password)
})

test('names of the organization and of Parley are refused in passwords', () => {
  for (const password of ['Caerphilly2026!', 'caerphillydairy', 'Caerphilly-Dairy1', 'ParleyCaerphilly'])
    assert.deepEqual(
      [isCommonPassword(password, 'Caerphilly Dairy'), isCommonPassword(password)],
      [true, false],
      password,
    )
  assert.equal(isCommonPassword('caerphilly tastes odd', 'Caerphilly Dairy'), false)
})

test('common passwords written twice, and passwords made of the email address, are refused', () => {
  for (const password of ['hunter2hunter2', 'monkeymonkey', 'dragondragon1'])
    assert.equal(isCommonPassword(password), true, password)
  for (const password of ['ada.lovelaceada.lovelace', 'ada.lovelace', 'ada.lovelace@caerphilly.example1'])
    assert.deepEqual(
      [isCommonPassword(password, 'Caerphilly ada.lovelace@caerphilly.example'), isCommonPassword(password)],
      [true, false],
      password,
    )
})

test('similar passwords are accepted', () => {
  for (const password of [
    'correct horse',
    'password of my own',
    'mydragonsleeps',
    'purplecowpurplecow',
    'abcdefgx',
    'monkey-7391-2846-0517',
  ])
    assert.equal(isCommonPassword(password), false, password)
})

test('a password has 8 to 100 characters, and is neither the address nor a common one', () => {
  const refusalOf = (password: string, ALLOW_WEAK_PASSWORDS = false) => {
    try {
      requireUsablePassword(password, { email: 'Ada@example.com', organization: 'Example' }, { ALLOW_WEAK_PASSWORDS })
      return null
    } catch (error) {
      return (error as Error).message
    }
  }

  assert.equal(refusalOf('1234567'), 'The password must have at least 8 characters.')
  assert.equal(refusalOf('🐟🐟🐟🐟'), 'The password must have at least 8 characters.')
  assert.equal(refusalOf('x'.repeat(101)), 'The password can have at most 100 characters.')
  assert.equal(refusalOf('ada@EXAMPLE.com'), 'The password cannot be the email address.')
  assert.equal(refusalOf('abcd2341'), null)
  assert.equal(refusalOf(`${'🐟 '.repeat(49)}🐠`), null)
  for (const common of ['Password123', 'abcd1234', 'example-2026'])
    assert.equal(refusalOf(common), 'This password is too easy to guess.')
  for (const weak of ['1', 'secret', 'ada@EXAMPLE.com']) assert.equal(refusalOf(weak, true), null)
  assert.equal(refusalOf('x'.repeat(101), true), 'The password can have at most 100 characters.')
})
