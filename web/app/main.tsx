import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { earlyStart } from '../live/early-start.ts'
import { showCachedView } from '../live/state.ts'
import { queryClient } from '../store/query-client.ts'
import '../ui/fonts.css'
import '../ui/tokens.css'
import '../ui/base.css'
import { router } from './router.tsx'

// If there is a cached view, the page shows it at once, without a loading screen.
void earlyStart().then(({ view }) => {
  if (view !== null) showCachedView(view)
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  )
})
