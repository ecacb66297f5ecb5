import type { ReactNode } from 'react'
import { t } from '../../../text/t.ts'
import { SettingField } from '../rows/setting-field.tsx'
import { SettingsGroup } from '../rows/settings-group.tsx'
import { TopicTable } from './topic-table.tsx'

/** The settings for following topics automatically, and the topics that the user follows or has muted. */
export function TopicSettings(): ReactNode {
  return (
    <>
      <SettingsGroup title={t('Automatic')}>
        <SettingField name="automatically_follow_topics_policy" />
        <SettingField name="automatically_unmute_topics_in_muted_streams_policy" />
        <SettingField name="automatically_follow_topics_where_mentioned" />
      </SettingsGroup>
      <SettingsGroup title={t('Your topics')}>
        <TopicTable />
      </SettingsGroup>
    </>
  )
}
