import { type ReactNode, useState } from 'react'
import * as settingsCss from '../../forms/settings.module.css'
import {
  currentKey,
  DEFAULT_SHORTCUTS,
  keyLabel,
  SHORTCUT_SECTIONS,
  setShortcutSettings,
  useShortcutSettings,
  withKey,
} from '../../store/shortcuts.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { CheckboxField, TextField } from '../../ui/field.tsx'
import * as css from './keyboard.module.css'

/** The user's shortcut settings in this browser. */
export function Keyboard(): ReactNode {
  const choice = useShortcutSettings()
  const [refused, refuse] = useState<{ key: string; why: string } | null>(null)
  const [answer, say] = useState('')
  const isChanged = Object.keys(choice.keys).length > 0

  function change(key: string, typed: string) {
    const before = currentKey(choice, key)
    const chosen = [...typed.replace(before, '').trim()].at(-1)
    if (chosen === undefined) return
    const next = withKey(choice, key, chosen)
    refuse(typeof next === 'string' ? { key, why: next } : null)
    if (typeof next === 'string') return
    setShortcutSettings(next)
    say(t('Saved: {keyLabel}', { keyLabel: keyLabel(chosen) }))
  }

  function reset() {
    setShortcutSettings({ ...DEFAULT_SHORTCUTS, areOn: choice.areOn })
    refuse(null)
    say(t('Shortcuts reset to default'))
  }

  return (
    <section className={settingsCss.settingsForm} aria-label={t('Keyboard')}>
      <CheckboxField isSelected={choice.areOn} onChange={(areOn) => setShortcutSettings({ ...choice, areOn })}>
        {t('Single-key shortcuts')}
      </CheckboxField>
      <p className="soft">
        {t(
          'Turn these off if you use voice input or press keys by accident. Shortcuts with Ctrl, arrow keys and F6 stay on. To change a shortcut, type a new key in its field.',
        )}
      </p>
      {SHORTCUT_SECTIONS.filter(({ commands }) => commands.length > 0).map(({ title, commands }) => (
        <section key={title} className={css.keyboardSection} aria-label={title}>
          <h2>{title}</h2>
          <div className={css.keyboardKeys}>
            {commands.map(({ key, label }) => (
              <TextField
                key={key}
                label={label}
                autoComplete="off"
                isDisabled={!choice.areOn}
                value={currentKey(choice, key)}
                error={refused?.key === key ? refused.why : null}
                onFocus={({ target }) => target.select()}
                onChange={(typed) => change(key, typed)}
                onBlur={() => refuse(null)}
                after={<kbd>{keyLabel(currentKey(choice, key))}</kbd>}
              />
            ))}
          </div>
        </section>
      ))}
      <div className="row">
        {isChanged && <Button onPress={reset}>{t('Reset to default')}</Button>}
        <span className={settingsCss.saved} role="status">
          {answer}
        </span>
      </div>
    </section>
  )
}
