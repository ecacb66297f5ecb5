import { type ReactNode, useState } from 'react'
import { changeLayout, useLayout } from '../../browser/layout.ts'
import { SettingRow, SettingsGroup } from '../../forms/setting-row.tsx'
import { useUndoSend } from '../../messages/send-settings.ts'
import { t } from '../../text/t.ts'
import { SelectField } from '../../ui/select-field.tsx'
import { Check, SettingField } from '../setting-field.tsx'

export function Preferences(): ReactNode {
  return (
    <>
      <SettingsGroup title={t('Appearance')}>
        <SettingField name="color_scheme" />
        <SettingField name="high_contrast_mode" />
        <Density />
        <SettingField name="web_font_size_px" />
        <SettingField name="web_line_height_percent" />
        <SettingField name="fluid_layout_width" />
        <SettingField name="web_animate_image_previews" />
        <SettingField name="emojiset" />
        <SettingField name="user_list_style" />
      </SettingsGroup>
      <SettingsGroup title={t('Date and time')}>
        <SettingField name="twenty_four_hour_time" />
        <SettingField name="web_suggest_update_timezone" />
      </SettingsGroup>
      <SettingsGroup title={t('Views and sidebar')}>
        <SettingField name="web_home_view" />
        <SettingField name="web_escape_navigates_to_home_view" />
        <SettingField name="web_channel_default_view" />
        <SettingField name="demote_inactive_streams" />
        <SettingField name="web_stream_unreads_count_display_policy" />
        <SettingField name="starred_message_counts" />
      </SettingsGroup>
      <SettingsGroup title={t('Messages')}>
        <SettingField name="web_mark_read_on_scroll_policy" />
        <SettingField name="display_emoji_reaction_users" />
        <SettingField name="enter_sends" />
        <UndoSend />
        <SettingField name="translate_emoticons" />
        <SettingField name="web_navigate_to_sent_message" />
        <SettingField name="enable_drafts_synchronization" />
      </SettingsGroup>
    </>
  )
}

/** The density setting of this browser. It is saved on change. */
function Density(): ReactNode {
  const { isCompact } = useLayout()
  const [isChanged, setChanged] = useState(false)
  const label = t('Density in this browser')
  return (
    <SettingRow id="density" label={label} state={isChanged ? 'saved' : 'idle'}>
      <SelectField
        label={label}
        value={isCompact ? 'compact' : 'comfortable'}
        options={[
          { id: 'comfortable', label: t('Comfortable') },
          { id: 'compact', label: t('Compact') },
        ]}
        onChange={(density) => {
          changeLayout({ isCompact: density === 'compact' })
          setChanged(true)
        }}
      />
    </SettingRow>
  )
}

/** The “Undo send” setting of this browser. It is saved on change. */
function UndoSend(): ReactNode {
  const [isOn, change] = useUndoSend()
  const [isChanged, setChanged] = useState(false)
  const label = t('Undo send')
  return (
    <SettingRow id="undo-send" label={label} state={isChanged ? 'saved' : 'idle'}>
      <Check
        label={label}
        about={t('Messages wait 5 seconds in this browser before they are sent.')}
        isSelected={isOn}
        onChange={(wanted) => {
          change(wanted)
          setChanged(true)
        }}
      />
    </SettingRow>
  )
}
