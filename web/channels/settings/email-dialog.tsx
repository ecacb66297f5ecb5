import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import { type Channel, type Organization, useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { CheckboxField } from '../../ui/field.tsx'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { mayAdminister } from '../channel.ts'
import * as css from '../channel-settings.module.css'

const OPTIONS = [
  { name: 'show_sender', label: t('Start messages with the sender of the email') },
  { name: 'include_footer', label: t('Keep signatures') },
  { name: 'include_quotes', label: t('Keep quoted emails') },
  { name: 'prefer_html', label: t('Use formatted text instead of plain text') },
] as const

type OptionName = (typeof OPTIONS)[number]['name']

const DEFAULTS: Record<OptionName, boolean> = {
  show_sender: true,
  include_footer: false,
  include_quotes: false,
  prefer_html: false,
}

/** The user’s email address of a channel, with its sender and options. */
export function EmailDialog({ channel, onClose }: { channel: Channel; onClose: () => void }): ReactNode {
  const { stream_id, name } = channel
  const organization = useOrganization()
  const senders = sendersOf(organization)
  const [sender_id, setSender] = useState(senders[0]?.id ?? organization.user_id)
  const [options, setOptions] = useState(DEFAULTS)
  const [isReplacing, setReplacing] = useState(false)
  const [replacesAll, setReplacesAll] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: ['channel-email', stream_id, sender_id, options],
    queryFn: ({ signal }) =>
      call('GET /streams/{stream_id}/email_address', { stream_id, sender_id, ...options }, { signal }),
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  const replacing = useMutation({
    mutationFn: () => call('DELETE /streams/{stream_id}/email_address', { stream_id, sender_id, all: replacesAll }),
    async onSuccess() {
      await refetch()
      setReplacing(false)
    },
  })

  return (
    <Dialog title={t('Email address of #{name}', { name })} isOpen onClose={onClose}>
      <div className="dialog-body">
        <p>
          {t('Emails to this address become messages, with the subject as the topic. Everyone who knows it can post.')}
        </p>
        {error !== null && <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />}
        <code className={css.emailAddress} aria-live="polite">
          {data?.email ?? ''}
        </code>
        <div className="row">
          <CopyButton text={data?.email ?? ''} isDisabled={data === undefined} autoFocus>
            {t('Copy address')}
          </CopyButton>
          <Button isDisabled={isReplacing} onPress={() => setReplacing(true)}>
            {t('Generate a new address…')}
          </Button>
        </div>
        {isReplacing && (
          <Notice kind="warn" title={t('The current address will stop working')}>
            <p>{t('Emails to it will be refused. Your addresses with other senders stay.')}</p>
            {mayAdminister(organization, channel) && (
              <CheckboxField isSelected={replacesAll} onChange={setReplacesAll}>
                {t('Also delete all other addresses of the channel')}
              </CheckboxField>
            )}
            {replacing.error !== null && <ErrorNotice error={toAppError(replacing.error)} />}
            <div className="row">
              <Button onPress={() => setReplacing(false)}>{t('Cancel')}</Button>
              <Button kind="danger" isPending={replacing.isPending} onPress={() => replacing.mutate()}>
                {t('Generate a new address')}
              </Button>
            </div>
          </Notice>
        )}
        <SelectField label={t('Sender')} value={sender_id} options={senders} onChange={setSender} />
        <div className="stack" style={{ '--gap': '0.5rem' } as object}>
          {OPTIONS.map(({ name: option, label }) => (
            <CheckboxField
              key={option}
              isSelected={options[option]}
              onChange={(isOn) => setOptions({ ...options, [option]: isOn })}
            >
              {label}
            </CheckboxField>
          ))}
        </div>
      </div>
      <DialogActions>
        <Button kind="primary" onPress={onClose}>
          {t('Done')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** Returns the users as whom emails can be posted: the Email Gateway bot, the user, and their bots. */
function sendersOf({ user_id, realm_users, cross_realm_bots }: Organization): { id: number; label: string }[] {
  const gateway = cross_realm_bots.filter(({ email }) => email.startsWith('emailgateway@'))
  const own = realm_users.filter((user) => user.user_id === user_id || user.bot_owner_id === user_id)
  return [...gateway, ...own.toSorted((one, other) => Number(one.is_bot) - Number(other.is_bot))].map((user) => ({
    id: user.user_id,
    label: user.user_id === user_id ? t('{name} (you)', { name: user.full_name }) : user.full_name,
  }))
}
