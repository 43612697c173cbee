import {
  Drawer,
  MantineProvider,
  Modal,
  Tooltip,
  createTheme,
  localStorageColorSchemeManager,
} from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from 'react-router/dom';
import { queryClient } from '../api/client.ts';
import { Notices } from '../components/notices.tsx';
import { router } from './router.tsx';

/**
 * The theme's CSS variables are in theme.css, because the Content-Security-Policy forbids style elements. Keep both files
 * consistent. Scroll locking is off because it also creates a style element.
 */
const theme = createTheme({
  primaryColor: 'indigo',
  cursorType: 'pointer',
  components: {
    Modal: Modal.extend({ defaultProps: { lockScroll: false, centered: true } }),
    Drawer: Drawer.extend({ defaultProps: { lockScroll: false } }),
    Tooltip: Tooltip.extend({ defaultProps: { events: { hover: true, focus: true, touch: true } } }),
  },
});

const colorSchemeManager = localStorageColorSchemeManager({ key: 'svc-color-scheme' });

/**
 * All styles come from files. The theme must not add style elements at run time (Content-Security-Policy).
 */
export function App() {
  return (
    <MantineProvider
      theme={theme}
      colorSchemeManager={colorSchemeManager}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Notices />
      </QueryClientProvider>
    </MantineProvider>
  );
}
