import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import {
  currentKey,
  keyLabel,
  SHORTCUT_COMMANDS,
  setShortcutSettings,
  useShortcutSettings,
} from '../../store/browser/shortcut-keys.ts'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { CheckboxField } from '../../ui/fields/checkbox-field.tsx'
import './shortcut-list.css'
import { t } from '../../text/t.ts'

const OTHERS: readonly [keys: string, does: string][] = [
  [t('Ctrl+K, then >'), t('All commands, by their names')],
  ['End', t('The newest message')],
  ['Esc', t('Back from writing, or from a pane, to the messages; from there to the inbox')],
  ['Ctrl+S', t('Star the message')],
  ['F6', t('The next part of the page')],
]

/** All keys that do something by themselves, as they are set, and what turns off those that are letters. */
// biome-ignore lint/style/noDefaultExport: React's lazy reads it so
export default function ShortcutList({ onClose }: { onClose: () => void }): ReactNode {
  const choice = useShortcutSettings()
  const letters = SHORTCUT_COMMANDS.map(({ key, label: does, also }): [string, string] => {
    const names = [...(choice.areOn ? [keyLabel(currentKey(choice, key))] : []), ...(also === undefined ? [] : [also])]
    return [names.join(' or '), does]
  })
  return (
    <Dialog title={t('Keyboard shortcuts')} isOpen onClose={onClose}>
      <div className="dialog-body shortcuts">
        <CheckboxField isSelected={choice.areOn} onChange={(areOn) => setShortcutSettings({ ...choice, areOn })}>
          {t('Letters and signs are shortcuts for you in this browser')}
        </CheckboxField>
        <p>
          <Link to="/settings/$section" params={{ section: 'keyboard' }} onClick={onClose}>
            {t('Choose other keys')}
          </Link>
        </p>
        <dl className="shortcut-list">
          {[...letters, ...OTHERS]
            .filter(([keys]) => keys !== '')
            .map(([keys, does]) => (
              <div key={does}>
                <dt>
                  <kbd>{keys}</kbd>
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
        </dl>
      </div>
    </Dialog>
  )
}
