import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { queryClient } from '../../store/query-client.ts'
import { useStoredState } from '../../store/stored-state.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { DialogActions, DialogForm } from '../../ui/dialog.tsx'
import { ErrorSummary, focusFirst } from '../../ui/error-summary.tsx'
import { TextField } from '../../ui/field.tsx'
import { ErrorNotice, Notice } from '../../ui/notice.tsx'
import { QrCode } from '../../ui/qr-code.tsx'
import {
  type InvitationChoices,
  lifetimeMinutes,
  newInvitationDraft,
  restrictDraft,
  toInvitationParams,
} from '../invitation-draft.ts'
import * as css from '../invite-dialog.module.css'
import { InvitationFields } from './invitation-fields.tsx'

type Errors = { days?: string; uses?: string }

/** Creates and shows an invitation link. The form keeps its content until the link is created or the user cancels. */
export function LinkForm({ choices, onClose }: { choices: InvitationChoices; onClose: () => void }): ReactNode {
  const [filled, fill, forget] = useStoredState('invite.link', () => ({
    offer: newInvitationDraft(choices),
    uses: '',
    domains: '',
  }))
  const { uses, domains } = filled
  const offer = restrictDraft(filled.offer, choices)
  const [errors, setErrors] = useState<Errors>({})
  const form = useRef<HTMLFormElement>(null)
  const { mutate, data, isPending, error } = useMutation({
    mutationFn: () =>
      call('POST /invites/multiuse', {
        ...toInvitationParams(offer),
        max_uses: uses.trim() === '' ? null : Number(uses),
        allowed_domains: domains.split(/[\s,;]+/).filter((one) => one !== ''),
      }),
    onSuccess() {
      forget()
      return queryClient.invalidateQueries({ queryKey: ['invitations'] })
    },
  })

  function submit() {
    const found: Errors = {
      ...(lifetimeMinutes(offer) === undefined && { days: t('Enter a number of days.') }),
      ...(!/^\s*(?:[1-9]\d{0,6})?\s*$/.test(uses) && {
        uses: t('Enter a whole number, or leave this empty for no limit.'),
      }),
    }
    setErrors(found)
    focusFirst(form.current, found)
    if (Object.keys(found).length === 0) mutate()
  }

  function cancel() {
    forget()
    onClose()
  }

  if (data !== undefined) return <MadeLink url={data.invite_link} onClose={onClose} />
  return (
    <DialogForm ref={form} action={t('Create link')} isPending={isPending} onSubmit={submit} onCancel={cancel}>
      {error !== null && <ErrorNotice title={t('Couldn’t create the link')} error={toAppError(error)} />}
      <ErrorSummary errors={errors} />
      <Notice kind="info">
        <p>{t('Anyone with the link can join, so share it carefully. You can revoke it at any time.')}</p>
      </Notice>
      <InvitationFields
        choices={choices}
        offer={offer}
        onChange={(offer) => fill({ offer })}
        daysError={errors.days ?? null}
      />
      <div className={css.inviteColumns}>
        <TextField
          label={t('Maximum uses')}
          name="uses"
          inputMode="numeric"
          placeholder={t('No limit')}
          value={uses}
          error={errors.uses ?? null}
          onChange={(uses) => fill({ uses })}
        />
        <TextField
          label={t('Allowed email domains')}
          placeholder={t('Any domain')}
          value={domains}
          onChange={(domains) => fill({ domains })}
          description={t('For example: example.com, example.org')}
        />
      </div>
    </DialogForm>
  )
}

function MadeLink({ url, onClose }: { url: string; onClose: () => void }): ReactNode {
  const { realm_name } = useOrganization('realm_name')
  const share = typeof navigator.share === 'function' ? () => navigator.share({ title: realm_name, url }) : null
  return (
    <>
      <div className="dialog-body">
        <h3>{t('Your link is ready')}</h3>
        <div className={css.linkMade}>
          <QrCode text={url} label={t('QR code for the link')} />
          <div className="stack">
            <code className={css.linkText}>{url}</code>
            <div className="row">
              <CopyButton text={url} kind="primary" autoFocus>
                {t('Copy link')}
              </CopyButton>
              {share !== null && <Button onPress={() => void share().catch(() => {})}>{t('Share')}</Button>}
            </div>
            <p className="soft small">
              {t('Scan the code with a phone camera. The link is also listed under Invitations.')}
            </p>
          </div>
        </div>
      </div>
      <DialogActions>
        <Button kind="primary" onPress={onClose}>
          {t('Done')}
        </Button>
      </DialogActions>
    </>
  )
}
