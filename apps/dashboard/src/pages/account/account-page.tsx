import { useAccount } from '../../api/account.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { Stacked } from '../../components/panel.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { ContentPanel } from './content-panel.tsx';
import { DeletePanel } from './delete-panel.tsx';
import { PasswordPanel } from './password-panel.tsx';
import { PolicyPanel } from './policy-panel.tsx';
import { ProfilePanel } from './profile-panel.tsx';

export function AccountPage() {
  const account = useAccount();
  return (
    <>
      <PageHeader
        title="Account"
        description="What all keys inherit, what is kept of requests and for how long, and the end of it all."
      />
      <QueryView query={account}>
        {(data) => (
          <Stacked>
            <ProfilePanel account={data} />
            <PolicyPanel account={data} />
            <ContentPanel account={data} />
            <PasswordPanel />
            <DeletePanel account={data} />
          </Stacked>
        )}
      </QueryView>
    </>
  );
}
