import { useMutation } from '@tanstack/react-query'
import IdCard from 'lucide-react/icons/id-card'
import Plus from 'lucide-react/icons/plus'
import { type ReactNode, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import * as settingsCss from '../../forms/settings.module.css'
import { choicesOf, siteOf } from '../../people/profile-fields.ts'
import { toAppError } from '../../store/app-error.ts'
import { type ProfileField, useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Empty } from '../../ui/page-states.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import { ConfirmRemovalDialog, moveItem } from './editable-list.tsx'
import { FieldDialog } from './field-form.tsx'
import * as linkifiersCss from './linkifiers.module.css'
import * as css from './profile-fields.module.css'

type Opened = { act: 'add' } | { act: 'change' | 'remove'; field: ProfileField }

/** The list of profile fields, in which administrators add, edit, sort and delete them. */
export function ProfileFields(): ReactNode {
  const { custom_profile_fields: fields } = useOrganization('custom_profile_fields')
  const [opened, setOpened] = useState<Opened | null>(null)
  const section = useRef<HTMLElement>(null)
  const ordering = useMutation({
    mutationFn: (order: number[]) => call('PATCH /realm/profile_fields', { order }),
  })
  const ids = fields.map(({ id }) => id)
  const actsOn = (field: ProfileField, at: number) => [
    { label: t('Edit'), run: () => setOpened({ act: 'change', field }) },
    ...(at > 0 ? [{ label: t('Move up'), run: () => ordering.mutate(moveItem(ids, at, -1)) }] : []),
    ...(at < ids.length - 1 ? [{ label: t('Move down'), run: () => ordering.mutate(moveItem(ids, at, 1)) }] : []),
    { label: t('Remove'), run: () => setOpened({ act: 'remove', field }), isDanger: true },
  ]

  return (
    <section ref={section} className={settingsCss.settingsList} aria-label={t('Profile fields')} tabIndex={-1}>
      <div>
        <Button
          kind="primary"
          icon={<Plus className="icon" aria-hidden="true" />}
          onPress={() => setOpened({ act: 'add' })}
        >
          {t('Add field')}
        </Button>
      </div>
      {ordering.error !== null && (
        <ErrorNotice title={t('Couldn’t save the order')} error={toAppError(ordering.error)} />
      )}
      {fields.length === 0 ? (
        <Empty icon={<IdCard />} title={t('No profile fields yet')}>
          <p>
            {t('Add details that people can share about themselves, such as pronouns, a phone number or a manager.')}
          </p>
        </Empty>
      ) : (
        <ol className={linkifiersCss.linkRules} aria-label={t('Fields')}>
          {fields.map((field, at) => (
            <li key={field.id}>
              <FieldLine field={field} />
              <RowMenu label={t('Actions for {name}', { name: field.name })} items={actsOn(field, at)} />
            </li>
          ))}
        </ol>
      )}
      {opened?.act === 'add' && <FieldDialog field={null} onClose={() => setOpened(null)} />}
      {opened?.act === 'change' && <FieldDialog field={opened.field} onClose={() => setOpened(null)} />}
      {opened?.act === 'remove' && (
        <ConfirmRemovalDialog
          name={opened.field.name}
          remove={() => call('DELETE /realm/profile_fields/{field_id}', { field_id: opened.field.id })}
          onClose={() => {
            setOpened(null)
            // The menu that opened the dialog may have been removed.
            requestAnimationFrame(() => section.current?.focus())
          }}
        >
          {t('People’s answers are permanently deleted.')}
        </ConfirmRemovalDialog>
      )}
    </section>
  )
}

function FieldLine({ field }: { field: ProfileField }): ReactNode {
  const { custom_profile_field_types, realm_default_external_accounts } = useOrganization(
    'custom_profile_field_types',
    'realm_default_external_accounts',
  )
  const kind = Object.values(custom_profile_field_types).find(({ id }) => id === field.type)?.name
  const { subtype = '', url_pattern } = siteOf(field) ?? {}
  const choices = choicesOf(field).map(({ text }) => text)
  const data = url_pattern ?? realm_default_external_accounts[subtype]?.text ?? choices.join(', ')
  const flags = [
    field.display_in_profile_summary && t('In profile summary'),
    field.required && t('Required'),
    !field.editable_by_user && t('Only administrators can edit'),
  ].filter((flag) => typeof flag === 'string')
  return (
    <span className={linkifiersCss.linkRule}>
      <span>{field.name}</span>
      <span className="soft small">{[kind, data].filter(Boolean).join(': ')}</span>
      {field.hint !== '' && <span className="soft small">{field.hint}</span>}
      {flags.length > 0 && (
        <span className={`row ${css.profileFieldFlags}`}>
          {flags.map((flag) => (
            <Badge key={flag}>{flag}</Badge>
          ))}
        </span>
      )}
    </span>
  )
}
