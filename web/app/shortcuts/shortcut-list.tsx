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

const OTHERS: readonly [keys: string, label: string][] = [
  ['Ctrl+K', t('Search or jump to')],
  ['End', t('Go to latest message')],
  ['Esc', t('Leave the compose box or a pane; from messages, go to Inbox')],
  ['Ctrl+S', t('Star or unstar message')],
  ['F6', t('Go to next pane')],
]

/** The list of keyboard shortcuts, with a switch for single-key shortcuts. */
// biome-ignore lint/style/noDefaultExport: React's lazy reads it so
export default function ShortcutList({ onClose }: { onClose: () => void }): ReactNode {
  const choice = useShortcutSettings()
  const letters = SHORTCUT_COMMANDS.map(({ key, label, also }): [string, string] => {
    const names = [...(choice.areOn ? [keyLabel(currentKey(choice, key))] : []), ...(also === undefined ? [] : [also])]
    return [names.join(' or '), label]
  })
  return (
    <Dialog title={t('Keyboard shortcuts')} isOpen onClose={onClose}>
      <div className="dialog-body shortcuts">
        <CheckboxField isSelected={choice.areOn} onChange={(areOn) => setShortcutSettings({ ...choice, areOn })}>
          {t('Single-key shortcuts in this browser')}
        </CheckboxField>
        <p>
          <Link to="/settings/$section" params={{ section: 'keyboard' }} onClick={onClose}>
            {t('Customize')}
          </Link>
        </p>
        <dl className="shortcut-list">
          {[...letters, ...OTHERS]
            .filter(([keys]) => keys !== '')
            .map(([keys, label]) => (
              <div key={label}>
                <dt>
                  <kbd>{keys}</kbd>
                </dt>
                <dd>{label}</dd>
              </div>
            ))}
        </dl>
      </div>
    </Dialog>
  )
}
