import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import type { ProfileField } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { DialogForm } from '../../../ui/dialog/dialog-form.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { showToast } from '../../../ui/feedback/toasts.ts'
import { type FieldPart, missingFields, NEW_FIELD, refusedField, toDraft, toParams } from './field-draft.ts'
import { FieldForm } from './field-form.tsx'

/** Adds a field, or edits the given one. */
export function FieldDialog({ field, onClose }: { field: ProfileField | null; onClose: () => void }): ReactNode {
  const [draft, setDraft] = useState(() => (field === null ? NEW_FIELD : toDraft(field)))
  const [isChecked, setChecked] = useState(false)
  const { mutate, isPending, error, reset } = useMutation<unknown>({
    mutationFn: () =>
      field === null
        ? call('POST /realm/profile_fields', { field_type: draft.type, ...toParams(draft) })
        : call('PATCH /realm/profile_fields/{field_id}', { field_id: field.id, ...toParams(draft) }),
    onSuccess() {
      showToast(field === null ? t('Field added') : t('Field saved'))
      onClose()
    },
  })
  const missing = missingFields(draft)
  const refusal = error === null ? null : toAppError(error)
  const refused = refusal === null ? null : refusedField(draft, refusal.message)

  function errorFor(part: FieldPart): string | null {
    const problem = isChecked ? missing[part] : undefined
    return problem ?? (refused === part ? (refusal?.message ?? null) : null)
  }

  function submit() {
    setChecked(true)
    if (Object.keys(missing).length === 0) mutate()
  }

  return (
    <Dialog
      title={field === null ? t('Add profile field') : t('Edit {name}', { name: field.name })}
      isOpen
      onClose={onClose}
    >
      <DialogForm
        action={field === null ? t('Add field') : t('Save')}
        isPending={isPending}
        onSubmit={submit}
        onCancel={onClose}
      >
        {refusal !== null && refused === null && <ErrorNotice title={t('Couldn’t save the field')} error={refusal} />}
        <FieldForm
          draft={draft}
          field={field}
          errorFor={errorFor}
          onChange={(change) => {
            setDraft({ ...draft, ...change })
            reset()
          }}
        />
      </DialogForm>
    </Dialog>
  )
}
