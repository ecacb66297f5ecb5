import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nativeLanguageName } from './user-settings.ts'

test('languages have their native names', () => {
  const names = ['en', 'de', 'pt-br', 'zh-hans'].map(nativeLanguageName)

  assert.deepEqual(names, ['English', 'Deutsch', 'português (Brasil)', '简体中文'])
})
