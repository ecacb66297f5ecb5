import { refusal } from '../../platform/errors/refusal.ts'

export const badNarrow = refusal('BAD_NARROW', 400, 'Invalid narrow operator: {desc}', {
  field: 'narrow',
  extras: ({ desc }) => ({ desc }),
})
