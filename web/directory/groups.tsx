import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import ArrowLeft from 'lucide-react/icons/arrow-left'
import UsersRound from 'lucide-react/icons/users-round'
import { type ReactNode, useState } from 'react'
import type { GroupSettingName } from '#groups/group.ts'
import { call } from '../api/call.ts'
import { AutosaveField } from '../forms/autosave-field.tsx'
import { SettingFact, SettingsEnd, SettingsGroup } from '../forms/setting-row.tsx'
import * as settingsCss from '../forms/settings.module.css'
import { GroupSettingField } from '../picking/group-setting-field.tsx'
import { describeSetting } from '../picking/setting-values.ts'
import { toAppError } from '../store/app-error.ts'
import { type Group, useOrganization } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogActions } from '../ui/dialog.tsx'
import { ErrorNotice, Notice } from '../ui/notice.tsx'
import { Empty } from '../ui/page-states.tsx'
import { showToast } from '../ui/toasts.ts'
import { GroupList } from './group-list.tsx'
import { AddToGroup, GroupMembers } from './group-members.tsx'
import { GROUP_PERMISSIONS, mayAddTo, mayManage, settingsUsingGroup, usesOfGroup } from './group-rights.ts'
import * as css from './groups.module.css'

const NAMES = Object.keys(GROUP_PERMISSIONS) as GroupSettingName[]

/** The page of a group: name, members, permissions and deactivation. */
function GroupPage({ group }: { group: Group | undefined }): ReactNode {
  const organization = useOrganization()
  return (
    <div className="stack">
      <div>
        <Link to="/organization/$section" params={{ section: 'groups' }} className="button button-quiet">
          <ArrowLeft className="icon" aria-hidden="true" />
          {t('All groups')}
        </Link>
      </div>
      {group === undefined ? (
        <Empty icon={<UsersRound />} title={t('Group not found')}>
          <p>{t('It may have been deactivated.')}</p>
        </Empty>
      ) : (
        <>
          <About group={group} />
          {mayAddTo(organization, group) && <AddToGroup group={group} />}
          <GroupMembers group={group} />
          <Permissions group={group} />
          <Uses group={group} />
          {mayManage(organization, group) && <Ending group={group} />}
        </>
      )}
    </div>
  )
}

function About({ group: { id, name, description }, group }: { group: Group }): ReactNode {
  const organization = useOrganization()
  const save = (change: { name: string } | { description: string }) =>
    call('PATCH /user_groups/{user_group_id}', { user_group_id: id, ...change })
  return (
    <section className={`${settingsCss.settingsGroup} ${settingsCss.settingsForm}`} aria-labelledby="group-name">
      <h2 id="group-name" className={css.groupName}>
        {name}
      </h2>
      {mayManage(organization, group) ? (
        <>
          <AutosaveField
            label={t('Name')}
            value={name}
            check={(value) => (value.trim() === '' ? t('Enter a name.') : null)}
            save={(name) => save({ name: name.trim() })}
          />
          <AutosaveField
            label={t('Description')}
            value={description}
            rows={2}
            save={(description) => save({ description: description.trim() })}
          />
        </>
      ) : (
        <p className={description === '' ? 'soft' : undefined}>{description || t('No description.')}</p>
      )}
    </section>
  )
}

function Permissions({ group }: { group: Group }): ReactNode {
  const organization = useOrganization()
  const mayChange = mayManage(organization, group)
  return (
    <SettingsGroup title={t('Permissions')}>
      {NAMES.map((name) => {
        const rule = organization.server_supported_permission_settings.group[name]
        return mayChange && rule !== undefined ? (
          <GroupSettingField
            key={name}
            id={name}
            {...GROUP_PERMISSIONS[name]}
            present={group[name]}
            rule={rule}
            save={(setting) =>
              call('PATCH /user_groups/{user_group_id}', {
                user_group_id: group.id,
                [name]: { new: setting, old: group[name] },
              })
            }
          />
        ) : (
          <SettingFact
            key={name}
            label={GROUP_PERMISSIONS[name].label}
            value={describeSetting(organization, group[name])}
          />
        )
      })}
    </SettingsGroup>
  )
}

/** The permissions that the group has, with links to where they can be changed. */
function Uses({ group }: { group: Group }): ReactNode {
  const uses = usesOfGroup(useOrganization(), group.id)
  return (
    <SettingsGroup title={t('What the group may do')}>
      {uses.length === 0 ? (
        <p className="soft">{t('No permission names this group.')}</p>
      ) : (
        <ul className={css.groupUses}>
          {uses.map(({ label, to, search = {} }) => (
            <li key={`${to} ${label}`}>
              <Link to={to as '/'} search={search as object}>
                {label}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </SettingsGroup>
  )
}

function Ending({ group: { id, name } }: { group: Group }): ReactNode {
  const organization = useOrganization()
  const navigate = useNavigate()
  const [isAsking, ask] = useState(false)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('POST /user_groups/{user_group_id}/deactivate', { user_group_id: id }),
    onSuccess() {
      ask(false)
      void navigate({ to: '/organization/$section', params: { section: 'groups' } })
      showToast(t('{name} deactivated', { name }))
    },
  })
  const needs = settingsUsingGroup(organization, error)
  const uses = [
    ...usesOfGroup(organization, id).map(({ label }) => label),
    ...organization.realm_user_groups
      .filter((group) => !group.deactivated && group.direct_subgroup_ids.includes(id))
      .map(({ name }) => t('Subgroup of {group}', { group: name })),
  ]
  return (
    <SettingsEnd title={t('Deactivate group')} about={t('You can reactivate it later with its members.')}>
      <Button onPress={() => ask(true)}>{t('Deactivate…')}</Button>
      {isAsking && (
        <Dialog title={t('Deactivate {name}?', { name })} role="alertdialog" isOpen onClose={() => ask(false)}>
          <div className="dialog-body">
            {error !== null && (
              <ErrorNotice title={t('Couldn’t deactivate the group')} error={toAppError(error)}>
                <ul className={settingsCss.accountList}>
                  {needs.map((line) => (
                    <li key={line}>{line}</li>
                  ))}
                </ul>
              </ErrorNotice>
            )}
            {error === null && uses.length > 0 && (
              <Notice kind="warn" title={t('The group is still in use. Remove it here first:')}>
                <ul className={settingsCss.accountList}>
                  {uses.map((label) => (
                    <li key={label}>{label}</li>
                  ))}
                </ul>
              </Notice>
            )}
            <p>{t('No one will be able to mention it, add it to channels or give it permissions.')}</p>
          </div>
          <DialogActions>
            <Button onPress={() => ask(false)}>{t('Cancel')}</Button>
            <Button kind="danger" isPending={isPending} onPress={() => !isPending && mutate()}>
              {t('Deactivate')}
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </SettingsEnd>
  )
}

/** All groups, or the one in the URL. */
export function Groups(): ReactNode {
  const { group: id } = useSearch({ from: '/organization/$section' })
  const { realm_user_groups } = useOrganization('realm_user_groups')
  if (id === undefined) return <GroupList />
  const group = realm_user_groups.find((one) => one.id === id && !one.is_system_group)
  return <GroupPage key={id} group={group} />
}
