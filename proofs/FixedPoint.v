(* The estimate of the noise, from above (chapter "What is a leaf of a regression tree worth?").

   In words: prune at the price of an estimate of the noise, estimate the noise again from the tree that is left, and
   so on, from the root on. If no tree has squared errors far below the noise and the price of its leaves, and some pruning
   is close to the truth and cheap, then no estimate falls below a fixed share of the noise; and an estimate that stays
   the same is not much larger than the noise if the price of that tree is small. Both conditions are assumed here. Units: squared errors are divided by m s^2, numbers of leaves and their prices by m, and estimates by
   s^2, where m is the number of examples and s^2 the noise. *)

From Coq Require Import List Arith Ring Ring_theory.
From Treebounds Require Import Definitions SignPatterns.
Import ListNotations.

Definition at_most (F : ordered_ring) (u v : F) : Prop := positive F (subtract F u v) = false.

(* No tree has a smaller sum of its squared errors and K times the noise times its price. *)
Definition best_at {P : Type} (F : ordered_ring) (errors price : P -> F) (K noise : F) (T : P) : Prop :=
  forall T' : P, at_most F (add F (errors T) (multiply F (multiply F K noise) (price T)))
    (add F (errors T') (multiply F (multiply F K noise) (price T'))).

(* The noise is the squared errors divided by 1 less the number of leaves, which is smaller than 1. *)
Definition estimated_from {P : Type} (F : ordered_ring) (errors n_leaves : P -> F) (noise : F) (T : P) : Prop :=
  at_most F (zero_number F) (n_leaves T) /\ positive F (subtract F (one_number F) (n_leaves T)) = true /\
  multiply F noise (subtract F (one_number F) (n_leaves T)) = errors T.

(* 1 - eta - price <= errors of all trees, and errors of T0 <= 1 + eta + beta + price. *)
Definition noise_is_bounded {P : Type} (F : ordered_ring) (errors price : P -> F) (eta beta : F) (T0 : P) : Prop :=
  (forall T : P, at_most F (subtract F (subtract F (one_number F) eta) (price T)) (errors T)) /\
  at_most F (errors T0) (add F (add F (add F (one_number F) eta) beta) (price T0)).

Section Order.
  Variable F : ordered_ring.
  Add Ring F_ring : (ring_laws F).

  Lemma at_most_cases (u v : F) : at_most F u v <-> u = v \/ positive F (subtract F v u) = true.
  Proof.
    unfold at_most. split.
    - intros H. destruct (positive_or_opposite F (subtract F u v)) as [E | [E | E]]; [| congruence |].
      + left. replace u with (add F (subtract F u v) v) by ring. rewrite E. ring.
      + right. now replace (subtract F v u) with (opposite F (subtract F u v)) by ring.
    - intros [-> | H].
      + replace (subtract F v v) with (zero_number F) by ring. apply zero_not_positive.
      + destruct (positive F (subtract F u v)) eqn:E; auto. exfalso. apply (not_both_positive F _ E).
        now replace (opposite F (subtract F u v)) with (subtract F v u) by ring.
  Qed.

  (* Numbers that are at least 0. *)
  Definition nonneg (u : F) : Prop := u = zero_number F \/ positive F u = true.

  Lemma nonneg_of_at_most (u v : F) : at_most F u v -> nonneg (subtract F v u).
  Proof. intros H. apply at_most_cases in H as [-> | H]; [left; ring | now right]. Qed.

  Lemma positive_nonneg (u : F) : positive F u = true -> nonneg u.
  Proof. now right. Qed.

  Lemma nonneg_add (u v : F) : nonneg u -> nonneg v -> nonneg (add F u v).
  Proof.
    intros [-> | Hu] [-> | Hv].
    - left. ring.
    - right. now replace (add F (zero_number F) v) with v by ring.
    - right. now replace (add F u (zero_number F)) with u by ring.
    - right. now apply positive_add.
  Qed.

  Lemma nonneg_multiply (u v : F) : nonneg u -> nonneg v -> nonneg (multiply F u v).
  Proof.
    intros [-> | Hu] [-> | Hv]; try (left; ring). right. now apply positive_multiply.
  Qed.

  Lemma not_opposite (u v : F) : nonneg u -> positive F v = true -> add F u v <> zero_number F.
  Proof.
    intros [-> | Hu] Hv E.
    - replace (add F (zero_number F) v) with v in E by ring. rewrite E, zero_not_positive in Hv. discriminate.
    - pose proof (positive_add F _ _ Hu Hv) as P. rewrite E, zero_not_positive in P. discriminate.
  Qed.

  (* A product with a positive number is at least 0 only if the other factor is. *)
  Lemma nonneg_divide (c u : F) : positive F c = true -> nonneg (multiply F c u) -> nonneg u.
  Proof.
    intros Hc H. destruct (positive_or_opposite F u) as [E | [E | E]]; [now left | now right |].
    exfalso. apply (not_opposite _ (multiply F c (opposite F u)) H); [now apply positive_multiply | ring].
  Qed.

  Lemma at_most_or_less (u v : F) : at_most F u v \/ positive F (subtract F u v) = true.
  Proof. unfold at_most. destruct (positive F (subtract F u v)); auto. Qed.
  Lemma at_most_of_nonneg (u v : F) : nonneg (subtract F v u) -> at_most F u v.
  Proof.
    intros [H | H]; apply at_most_cases; [left | now right].
    replace v with (add F (subtract F v u) u) by ring. rewrite H. ring.
  Qed.

  Lemma nonneg_zero (u : F) : nonneg (subtract F u (zero_number F)) -> nonneg u.
  Proof. now replace (subtract F u (zero_number F)) with u by ring. Qed.

  Lemma nonneg_same (u v : F) : u = v -> nonneg u -> nonneg v.
  Proof. now intros ->. Qed.

  Lemma start_identity (x p phi rho eta : F) :
    add F (add F (subtract F x (subtract F (subtract F (one_number F) eta) p)) (subtract F phi p))
      (subtract F (subtract F (subtract F (one_number F) eta) rho) phi) = subtract F x rho.
  Proof. ring. Qed.

  Lemma fixed_point_identity (r K n_leaves p y phi eta beta : F) :
    add F (add F
      (subtract F (add F y (multiply F (multiply F K r) phi))
        (add F (multiply F r (subtract F (one_number F) n_leaves)) (multiply F (multiply F K r) p)))
      (subtract F (add F (add F (add F (one_number F) eta) beta) phi) y))
      (multiply F r (subtract F (multiply F K p) n_leaves))
    = subtract F (add F (add F (add F (one_number F) eta) beta) phi)
      (multiply F r (subtract F (one_number F) (multiply F K phi))).
  Proof. ring. Qed.

  Lemma step_identity (K r x p y phi eta beta : F) :
    add F
      (subtract F (add F y (multiply F (multiply F K r) phi)) (add F x (multiply F (multiply F K r) p)))
      (subtract F (add F (add F (add F (one_number F) eta) beta) phi) y)
    = subtract F (add F (add F (add F (add F (one_number F) eta) beta) phi) (multiply F (multiply F K r) phi))
      (add F x (multiply F (multiply F K r) p)).
  Proof. ring. Qed.
End Order.

Section FixedPoint.
  Variable F : ordered_ring.
  Add Ring F_ring' : (ring_laws F).

  Let ad := add F.
  Let su := subtract F.
  Let mu := multiply F.
  Let one := one_number F.

  Variables K rho eta beta phi : F.
  Hypothesis K_positive : positive F K = true.
  Hypothesis rho_positive : positive F rho = true.
  Hypothesis eta_nonneg : nonneg F eta.
  Hypothesis beta_nonneg : nonneg F beta.
  Hypothesis phi_nonneg : nonneg F phi.
  Hypothesis K_rho : positive F (su (mu K rho) one) = true.

  (* 2 eta + beta + phi (1 + K rho) <= (1 - eta - rho) (K rho - 1) *)
  Let slack := su (mu (su (su one eta) rho) (su (mu K rho) one))
    (ad (ad (ad eta eta) beta) (mu phi (ad one (mu K rho)))).
  Hypothesis condition : nonneg F slack.

  Lemma positive_add_nonneg (u v : F) : nonneg F u -> positive F v = true -> positive F (ad u v) = true.
  Proof.
    unfold ad. intros [-> | Hu] Hv; [| now apply positive_add].
    now replace (add F (zero_number F) v) with v by ring.
  Qed.

  Lemma room_is_nonneg : nonneg F (su (su (su one eta) rho) phi).
  Proof.
    apply (nonneg_divide F (su (mu K rho) one) _ K_rho).
    replace (multiply F (su (mu K rho) one) (su (su (su one eta) rho) phi))
      with (ad (ad (ad (ad eta eta) beta) (ad phi phi)) slack)
      by (unfold slack, ad, su, mu, one; ring).
    unfold ad. repeat apply nonneg_add; auto.
  Qed.

  (* One step: errors x and price p of a tree that is best at an estimate r of at least rho. *)
  Lemma errors_at_least_rho r x p : nonneg F (su r rho) -> nonneg F (su x (su (su one eta) p)) ->
    nonneg F (su (ad (ad (ad (ad one eta) beta) phi) (mu (mu K r) phi)) (ad x (mu (mu K r) p))) ->
    nonneg F (su x rho).
  Proof.
    intros Hr H1 H2. destruct (at_most_or_less F rho x) as [H | Hy]; [now apply nonneg_of_at_most |]. exfalso.
    assert (Hc : positive F (ad (mu K (su r rho)) (su (mu K rho) one)) = true).
    { apply positive_add_nonneg; auto. apply nonneg_multiply; auto. now right. }
    assert (Kr : nonneg F (mu K r)).
    { replace (mu K r) with (ad (mu K (su r rho)) (mu K rho)) by (unfold ad, mu, su; ring).
      apply nonneg_add; apply nonneg_multiply; auto; now right. }
    apply (not_opposite F
      (ad (ad (ad (su (ad (ad (ad (ad one eta) beta) phi) (mu (mu K r) phi)) (ad x (mu (mu K r) p)))
                  (mu (mu K r) (su x (su (su one eta) p))))
              slack)
          (mu (mu K (su r rho)) (su (su (su one eta) rho) phi)))
      (mu (ad (mu K (su r rho)) (su (mu K rho) one)) (su rho x))).
    - unfold ad. repeat apply nonneg_add; auto.
      + apply nonneg_multiply; auto.
      + apply nonneg_multiply; [apply nonneg_multiply; auto; now right | exact room_is_nonneg].
    - now apply positive_multiply.
    - unfold slack, ad, su, mu, one. ring.
  Qed.

  (* The next estimate is at least the errors. *)
  Lemma estimate_at_least_errors r x n_leaves : nonneg F n_leaves -> positive F (su one n_leaves) = true ->
    mu r (su one n_leaves) = x -> nonneg F (su x rho) -> nonneg F (su r rho).
  Proof.
    intros H0 H1 E Hx. apply (nonneg_divide F (su one n_leaves) _ H1).
    replace (multiply F (su one n_leaves) (su r rho)) with (ad (su x rho) (mu rho n_leaves))
      by (rewrite <- E; unfold ad, su, mu, one; ring).
    apply nonneg_add; auto. apply nonneg_multiply; auto. now right.
  Qed.
End FixedPoint.

(* Let phi be the price of T0, and not smaller than that of the root. The condition is K rho > 1 and 2 eta + beta + phi
   (1 + K rho) <= (1 - eta - rho) (K rho - 1). The first estimate is that of the root, and each of the next ones that of
   a tree that is best at the estimate before. *)
Theorem estimates_from_above_stay_above :
  forall (F : ordered_ring) (P : Type) (errors price n_leaves : P -> F) (root T0 : P) (K rho eta beta : F)
    (estimate : nat -> F) (chosen : nat -> P),
  positive F K = true -> positive F rho = true -> at_most F (zero_number F) eta -> at_most F (zero_number F) beta ->
  at_most F (zero_number F) (price T0) -> at_most F (price root) (price T0) ->
  positive F (subtract F (multiply F K rho) (one_number F)) = true ->
  at_most F
    (add F (add F (add F eta eta) beta) (multiply F (price T0) (add F (one_number F) (multiply F K rho))))
    (multiply F (subtract F (subtract F (one_number F) eta) rho) (subtract F (multiply F K rho) (one_number F))) ->
  noise_is_bounded F errors price eta beta T0 ->
  estimated_from F errors n_leaves (estimate 0) root ->
  (forall j, best_at F errors price K (estimate j) (chosen j) /\
    estimated_from F errors n_leaves (estimate (S j)) (chosen j)) ->
  forall j, at_most F rho (estimate j).
Proof.
  intros F P errors price n_leaves root T0 K rho eta beta estimate chosen HK Hrho Heta Hbeta Hphi Hroot HKrho Hc
    (Hall & H0) Hstart Hstep.
  apply nonneg_of_at_most in Heta, Hbeta, Hphi, Hroot, Hc.
  apply (nonneg_zero F) in Heta, Hbeta, Hphi.
  assert (Estimate : forall T r, estimated_from F errors n_leaves r T -> nonneg F (subtract F (errors T) rho) ->
    nonneg F (subtract F r rho)).
  { intros T r (L0 & L1 & E) HT. apply nonneg_of_at_most, nonneg_zero in L0.
    now apply (estimate_at_least_errors F rho Hrho r (errors T) (n_leaves T)). }
  assert (G : forall j, nonneg F (subtract F (estimate j) rho)).
  { induction j as [|j IH].
    - apply (Estimate root); auto. pose proof (nonneg_of_at_most F _ _ (Hall root)) as H.
      pose proof (room_is_nonneg F K rho eta beta (price T0) Heta Hbeta Hphi HKrho Hc) as R.
      pose proof (nonneg_add F _ _ (nonneg_add F _ _ H Hroot) R) as A. revert A. apply (nonneg_same F).
      exact (start_identity F (errors root) (price root) (price T0) rho eta).
    - destruct (Hstep j) as (Best & Est). apply (Estimate (chosen j)); auto.
      apply (errors_at_least_rho F K rho eta beta (price T0) HK Hrho Heta Hbeta Hphi HKrho Hc (estimate j)
        (errors (chosen j)) (price (chosen j)) IH (nonneg_of_at_most F _ _ (Hall (chosen j)))).
      pose proof (nonneg_of_at_most F _ _ (Best T0)) as B. apply nonneg_of_at_most in H0.
      pose proof (nonneg_add F _ _ B H0) as A. revert A. apply (nonneg_same F).
      exact (step_identity F K (estimate j) (errors (chosen j)) (price (chosen j)) (errors T0) (price T0) eta beta). }
  intros j. apply at_most_of_nonneg, G.
Qed.

(* r (1 - K phi) <= 1 + eta + beta + phi, phi the price of T0, if the tree is best at the estimate that results from it,
   and has at most K times as many leaves as its price. *)
Theorem fixed_point_is_not_far_above :
  forall (F : ordered_ring) (P : Type) (errors price n_leaves : P -> F) (T0 T : P) (K eta beta r : F),
  at_most F (zero_number F) r -> at_most F (n_leaves T) (multiply F K (price T)) ->
  at_most F (errors T0) (add F (add F (add F (one_number F) eta) beta) (price T0)) ->
  best_at F errors price K r T -> estimated_from F errors n_leaves r T ->
  at_most F (multiply F r (subtract F (one_number F) (multiply F K (price T0))))
    (add F (add F (add F (one_number F) eta) beta) (price T0)).
Proof.
  intros F P errors price n_leaves T0 T K eta beta r Hr HL H0 Best (_ & _ & E).
  specialize (Best T0). rewrite <- E in Best. apply nonneg_of_at_most in Best, H0, HL, Hr. apply nonneg_zero in Hr.
  apply at_most_of_nonneg.
  pose proof (nonneg_add F _ _ (nonneg_add F _ _ Best H0) (nonneg_multiply F _ _ Hr HL)) as A. revert A.
  apply (nonneg_same F). apply fixed_point_identity.
Qed.
