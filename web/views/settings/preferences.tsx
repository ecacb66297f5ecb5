import type { ReactNode } from 'react'
import { changeLayout, useLayout } from '../../store/browser/layout.ts'
import { DEFAULT_LINE_HEIGHT, DEFAULT_TEXT_SIZE, LINE_HEIGHTS, TEXT_SIZES } from '../../store/browser/text-size.ts'
import { Theme } from '../../store/browser/theme.ts'
import { useUndoSend } from '../../store/browser/undo-send.ts'
import { ReadPolicy } from '../../store/messages/mark-read.ts'
import { useOwnSettings } from '../../store/own-settings.ts'
import { rich } from '../../text/rich.ts'
import { t } from '../../text/t.ts'
import { CheckboxField } from '../../ui/fields/checkbox-field.tsx'
import { SelectField } from '../../ui/fields/select-field.tsx'
import { withCurrentValue } from './with-current-value.ts'

const THEMES = [
  { id: Theme.system, label: t('Match system') },
  { id: Theme.light, label: t('Light') },
  { id: Theme.dark, label: t('Dark') },
]

const COMFORTABLE = 0
const COMPACT = 1

const DENSITIES = [
  { id: COMFORTABLE, label: t('Comfortable') },
  { id: COMPACT, label: t('Compact') },
]

const SIZES = TEXT_SIZES.map((id) => ({
  id,
  label: id === DEFAULT_TEXT_SIZE ? t('Browser default') : percent(id / DEFAULT_TEXT_SIZE),
}))
const LINES = LINE_HEIGHTS.map((id) => ({ id, label: id === DEFAULT_LINE_HEIGHT ? t('Default') : percent(id / 100) }))

const READING = [
  { id: ReadPolicy.always, label: t('Always') },
  { id: ReadPolicy.conversations, label: t('Only in conversation views') },
  { id: ReadPolicy.never, label: t('Never') },
]

/** The user's preferences, on all devices. */
export function Preferences(): ReactNode {
  const [settings, change] = useOwnSettings()
  const { isCompact } = useLayout()
  const [undoesSend, setUndoSend] = useUndoSend()
  return (
    <div className="stack">
      <section className="card settings-card" aria-labelledby="looks">
        <h2 id="looks">{t('Appearance')}</h2>
        <SelectField
          label={t('Theme')}
          value={settings.color_scheme}
          options={THEMES}
          onChange={(color_scheme) => change({ color_scheme })}
        />
        <CheckboxField
          isSelected={settings.high_contrast_mode}
          onChange={(high_contrast_mode) => change({ high_contrast_mode })}
        >
          {t('High contrast')}
        </CheckboxField>
        <SelectField
          label={t('Density in this browser')}
          value={isCompact ? COMPACT : COMFORTABLE}
          options={DENSITIES}
          onChange={(density) => changeLayout({ isCompact: density === COMPACT })}
        />
        <SelectField
          label={t('Font size')}
          value={settings.web_font_size_px}
          options={withCurrentValue(SIZES, settings.web_font_size_px, (size) => percent(size / DEFAULT_TEXT_SIZE))}
          onChange={(web_font_size_px) => change({ web_font_size_px })}
        />
        <SelectField
          label={t('Line spacing')}
          value={settings.web_line_height_percent}
          options={withCurrentValue(LINES, settings.web_line_height_percent, (lines) => percent(lines / 100))}
          onChange={(web_line_height_percent) => change({ web_line_height_percent })}
        />
      </section>
      <section className="card settings-card" aria-labelledby="goes">
        <h2 id="goes">{t('Messages')}</h2>
        <SelectField
          label={t('Mark messages as read on scroll')}
          value={settings.web_mark_read_on_scroll_policy}
          options={READING}
          onChange={(policy) => change({ web_mark_read_on_scroll_policy: policy })}
        />
        <CheckboxField isSelected={settings.enter_sends} onChange={(enter_sends) => change({ enter_sends })}>
          {rich('Press Enter to send <soft>Shift+Enter adds a new line</soft>', {
            soft: (children) => <span className="soft">{children}</span>,
          })}
        </CheckboxField>
        <CheckboxField isSelected={undoesSend} onChange={setUndoSend}>
          {rich('Undo send <soft>Messages wait 5 seconds in this browser before they are sent</soft>', {
            soft: (children) => <span className="soft">{children}</span>,
          })}
        </CheckboxField>
      </section>
    </div>
  )
}

function percent(part: number): string {
  return t('{part, number, percent}', { part })
}
