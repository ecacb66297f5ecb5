import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCommonPassword } from './common-passwords.ts'

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
