import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { type UserSettingName, userSettingDeclarations } from '#people/user-settings.ts'
import { PERSONAL_SETTINGS, type SettingText } from './personal-settings.ts'
import { SETTINGS_SECTIONS } from './sections.ts'

/** The settings that have no control of their own, each with the reason. */
const WITHOUT_CONTROL: Partial<Record<UserSettingName, string>> = {
  default_language: 'the interface is in English only',
  left_side_userlist: 'people are always listed at the end of the window',
  hide_ai_features: 'there are no such features',
  enable_marketing_emails: 'the server sends no marketing',
}

/** The settings without any effect. The page about compatibility lists them. */
const WITHOUT_EFFECT: readonly UserSettingName[] = [
  'default_language',
  'left_side_userlist',
  'hide_ai_features',
  'enable_marketing_emails',
]

test('each personal setting has a control, or a reason why it has none', () => {
  const known = [...Object.keys(PERSONAL_SETTINGS), ...Object.keys(WITHOUT_CONTROL)].sort()

  assert.deepEqual(known, Object.keys(userSettingDeclarations).sort())
})

test('the values to choose from are those that the server accepts', () => {
  for (const [name, { options }] of Object.entries(PERSONAL_SETTINGS) as [UserSettingName, SettingText][])
    for (const { value } of options ?? [])
      assert.ok(userSettingDeclarations[name].type.safeParse(value).success, `${name}: ${value}`)
})

test('settings are shown in sections that exist', () => {
  const sections = SETTINGS_SECTIONS.map(({ id }) => id)
  for (const { section, label } of Object.values<SettingText>(PERSONAL_SETTINGS))
    assert.ok(sections.includes(section), `${label}: ${section}`)
})

test('settings without an effect are documented', async () => {
  const page = await readFile(path.join(import.meta.dirname, '../../docs/compatibility.md'), 'utf8')

  assert.deepEqual(
    WITHOUT_EFFECT.filter((name) => !page.includes(`\`${name}\``)),
    [],
  )
})
