import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { t } from '../../../text/t.ts'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { DialogForm } from '../../../ui/dialog/dialog-form.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { showToast } from '../../../ui/feedback/toasts.ts'
import { TextField } from '../../../ui/fields/field.tsx'
import { fullLanguageName } from './full-language-name.ts'

const FIELDS = [
  {
    name: 'language',
    label: t('Language'),
    placeholder: t('Python'),
    description: t('The language name after ```.'),
    problem: t('Enter a language.'),
    max: 40,
  },
  {
    name: 'site',
    label: t('Name'),
    placeholder: t('Python playground'),
    description: undefined,
    problem: t('Enter a name.'),
    max: 100,
  },
  {
    name: 'template',
    label: t('URL template'),
    placeholder: 'https://example.com/run?code={code}',
    description: t('Use {placeholder} for the code.', { placeholder: '{code}' }),
    problem: t('Enter a URL template.'),
    max: 1000,
  },
] as const

type FieldName = (typeof FIELDS)[number]['name']
type Given = Record<FieldName, string>

/** Returns the field that an error is about; null if it is about none. */
function fieldOf(refusal: string): FieldName | null {
  if (/already exists/.test(refusal)) return 'site'
  if (/pygments language/.test(refusal)) return 'language'
  return /URL template/.test(refusal) ? 'template' : null
}

export function NewPlaygroundDialog({ onClose }: { onClose: () => void }): ReactNode {
  const [given, setGiven] = useState<Given>({ language: '', site: '', template: '' })
  const [isChecked, setChecked] = useState(false)
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: async () =>
      call('POST /realm/playgrounds', {
        name: given.site.trim(),
        pygments_language: await fullLanguageName(given.language.trim()),
        url_template: given.template.trim(),
      }),
    onSuccess() {
      showToast(t('{name} added', { name: given.site.trim() }))
      onClose()
    },
  })
  const refusal = error === null ? null : toAppError(error)
  const refused = refusal === null ? null : fieldOf(refusal.message)
  const isMissing = (name: FieldName) => given[name].trim() === ''

  function submit() {
    setChecked(true)
    if (!FIELDS.some(({ name }) => isMissing(name))) mutate()
  }

  return (
    <Dialog title={t('Add playground')} isOpen onClose={onClose}>
      <DialogForm action={t('Add playground')} isPending={isPending} onSubmit={submit} onCancel={onClose}>
        {refusal !== null && refused === null && (
          <ErrorNotice title={t('Couldn’t add the playground')} error={refusal} />
        )}
        {FIELDS.map(({ name, label, placeholder, description, problem, max }) => (
          <TextField
            key={name}
            label={label}
            placeholder={placeholder}
            description={description}
            error={isChecked && isMissing(name) ? problem : refused === name ? (refusal?.message ?? null) : null}
            autoComplete="off"
            spellCheck="false"
            maxLength={max}
            value={given[name]}
            onChange={(value) => {
              setGiven({ ...given, [name]: value })
              reset()
            }}
          />
        ))}
      </DialogForm>
    </Dialog>
  )
}
