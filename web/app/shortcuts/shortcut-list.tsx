import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { formattingReference } from '../../browser/overlays.ts'
import {
  currentKey,
  keyLabel,
  SHORTCUT_SECTIONS,
  setShortcutSettings,
  useShortcutSettings,
} from '../../store/shortcuts.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckboxField } from '../../ui/field.tsx'
import * as css from './shortcut-list.module.css'

/** The list of keyboard shortcuts, with a switch for single-key shortcuts. */
// biome-ignore lint/style/noDefaultExport: React's lazy requires it
export default function ShortcutList({ onClose }: { onClose: () => void }): ReactNode {
  const choice = useShortcutSettings()
  const showFormatting = () => {
    onClose()
    formattingReference.set(true)
  }
  return (
    <Dialog title={t('Keyboard shortcuts')} size="large" isOpen onClose={onClose}>
      <div className="dialog-body">
        <div className={css.shortcutsOptions}>
          <CheckboxField isSelected={choice.areOn} onChange={(areOn) => setShortcutSettings({ ...choice, areOn })}>
            {t('Single-key shortcuts in this browser')}
          </CheckboxField>
          <Button kind="quiet" onPress={showFormatting}>
            {t('Formatting reference')}
          </Button>
          <Link to="/settings/$section" params={{ section: 'keyboard' }} onClick={onClose}>
            {t('Customize')}
          </Link>
        </div>
        <div className={css.shortcutsSections}>
          <Sections />
        </div>
      </div>
    </Dialog>
  )
}

/** All shortcuts that work now, with their keys, in sections. */
function Sections(): ReactNode {
  const choice = useShortcutSettings()
  const lists = SHORTCUT_SECTIONS.map(({ title, commands, fixed = [] }) => ({
    title,
    rows: [
      ...commands.map(({ key, label, also = [] }) => ({
        keys: [...(choice.areOn ? [keyLabel(currentKey(choice, key))] : []), ...also],
        label,
      })),
      ...fixed,
    ].filter(({ keys }) => keys.length > 0),
  }))
  return lists
    .filter(({ rows }) => rows.length > 0)
    .map(({ title, rows }) => (
      <section key={title}>
        <h3>{title}</h3>
        <dl className={css.shortcutList}>
          {rows.map(({ keys, label }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                {keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dd>
            </div>
          ))}
        </dl>
      </section>
    ))
}
