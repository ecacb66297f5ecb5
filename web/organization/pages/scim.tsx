import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import Plus from 'lucide-react/icons/plus'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { isPasswordRefusal, useCurrentPassword } from '../../forms/current-password.tsx'
import * as settingsCss from '../../forms/settings.module.css'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { queryClient } from '../../store/query-client.ts'
import { rich } from '../../text/rich.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog, DialogActions, DialogForm } from '../../ui/dialog.tsx'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { Loading } from '../../ui/page-states.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toasts.ts'
import * as css from './scim.module.css'

const tokenQuery = queryOptions({
  queryKey: ['scim-token'],
  queryFn: ({ signal }) => call('GET /realm/scim_token', {}, { signal }),
  // There is no event for it.
  staleTime: 0,
})

const refresh = () => void queryClient.invalidateQueries(tokenQuery)

/** Asks before a token is made that replaces another one, and shows the new token once. */
function NewTokenDialog({ isReplacement, onClose }: { isReplacement: boolean; onClose: () => void }): ReactNode {
  const currentPassword = useCurrentPassword()
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: () => call('POST /realm/scim_token', currentPassword.params),
    onSuccess: refresh,
    onError: currentPassword.onError,
  })
  if (data !== undefined)
    return (
      <Dialog title={t('New SCIM token')} isOpen onClose={onClose} ignoresClicksOutside>
        <div className="dialog-body">
          <Notice kind="warn" title={t('This token is only shown once')}>
            <p>{t('Copy it now, and paste it into the settings of your directory.')}</p>
          </Notice>
          <code className={css.scimText}>{data.token}</code>
          <div className="row">
            <CopyButton text={data.token} autoFocus>
              {t('Copy token')}
            </CopyButton>
          </div>
        </div>
        <DialogActions>
          <Button kind="primary" onPress={onClose}>
            {t('Done')}
          </Button>
        </DialogActions>
      </Dialog>
    )
  return (
    <Dialog
      title={isReplacement ? t('Replace the SCIM token?') : t('Create a SCIM token?')}
      role="alertdialog"
      isOpen
      onClose={onClose}
    >
      <DialogForm
        action={isReplacement ? t('Replace token') : t('Create token')}
        isDanger={isReplacement}
        isPending={isPending}
        onSubmit={mutate}
        onCancel={onClose}
      >
        {error !== null && !isPasswordRefusal(error) && (
          <ErrorNotice title={t('Couldn’t create the token')} error={toAppError(error)} />
        )}
        <p>
          {t('Anyone with the token can manage all accounts and groups with the rights of an owner.')}{' '}
          {isReplacement && t('The current token stops working immediately.')}
        </p>
        {currentPassword.field}
      </DialogForm>
    </Dialog>
  )
}

/** Asks before the token is revoked. */
function RevokeDialog({ onClose }: { onClose: () => void }): ReactNode {
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('DELETE /realm/scim_token'),
    onSuccess() {
      refresh()
      showToast(t('SCIM token revoked'))
      onClose()
    },
  })
  return (
    <Dialog title={t('Revoke the SCIM token?')} role="alertdialog" isOpen onClose={onClose}>
      <div className="dialog-body">
        {error !== null && <ErrorNotice title={t('Couldn’t revoke the token')} error={toAppError(error)} />}
        <p>{t('Your directory can no longer manage accounts and groups. Those that it has created stay.')}</p>
      </div>
      <DialogActions>
        <Button onPress={onClose}>{t('Cancel')}</Button>
        <Button kind="danger" isPending={isPending} onPress={() => mutate()}>
          {t('Revoke token')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** The address and the token with which a directory manages accounts and groups. */
export function Scim(): ReactNode {
  const { realm_url } = useOrganization('realm_url')
  const { data, error, refetch } = useQuery(tokenQuery)
  const [dialog, setDialog] = useState<'new' | 'revoke' | null>(null)
  const close = () => setDialog(null)
  if (error !== null) return <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading label={t('Loading the SCIM token')} />
  const { scim_token: token } = data
  const url = `${realm_url}/scim/v2`
  return (
    <>
      <section className={`${settingsCss.settingsGroup} ${css.scimPart}`} aria-label={t('Directory')}>
        <p className="soft">
          {t(
            'Directories such as Microsoft Entra ID and Okta create and deactivate accounts, change names and roles, and fill user groups. New email addresses still have to be confirmed.',
          )}
        </p>
        <h3>{t('Address')}</h3>
        <code className={css.scimText}>{url}</code>
        <div className="row">
          <CopyButton text={url}>{t('Copy address')}</CopyButton>
        </div>
      </section>
      <section className={`${settingsCss.settingsGroup} ${css.scimPart}`} aria-label={t('Token')}>
        <h3>{t('Token')}</h3>
        {token === null ? (
          <p className="soft">{t('There is no token, so no directory can connect.')}</p>
        ) : (
          <p className="soft">
            {token.last_used_at === null
              ? rich('Created {created} · never used', { created: <Time at={token.created_at} as="ago" /> })
              : rich('Created {created} · last used {used}', {
                  created: <Time at={token.created_at} as="ago" />,
                  used: <Time at={token.last_used_at} as="ago" />,
                })}
          </p>
        )}
        <div className="row">
          <Button
            kind={token === null ? 'primary' : undefined}
            icon={<Plus className="icon" aria-hidden="true" />}
            onPress={() => setDialog('new')}
          >
            {token === null ? t('Create token') : t('Replace token')}
          </Button>
          {token !== null && <Button onPress={() => setDialog('revoke')}>{t('Revoke token')}</Button>}
        </div>
      </section>
      {dialog === 'new' && <NewTokenDialog isReplacement={token !== null} onClose={close} />}
      {dialog === 'revoke' && <RevokeDialog onClose={close} />}
    </>
  )
}
