from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

import treebounds as tb

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
tree = DecisionTreeClassifier(random_state=0).fit(X_train, y_train)
small = tb.prune(tree, X_train, y_train)
print(tb.certify(small, X_test, y_test, method="test-set"))
